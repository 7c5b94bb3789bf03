import { createHash } from 'node:crypto';
import { z } from 'zod';
import { toTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import type { CollectionSpec, Store } from '../../platform/store/collection.ts';
import { nextLookMs } from './next-look.ts';

/**
 * What is looked at again and again: a publisher's `adagents.json` or `ads.txt`, an agent for its badges, an ad system's `sellers.json`.
 */
export const CheckKind = z.enum(['adagents', 'badges', 'ads_txt', 'sellers_json']);
export type CheckKind = z.infer<typeof CheckKind>;

/** One thing that workers look at when it is due, and how that last went. */
export const ScheduledCheck = z.object({
  check_id: z.string(),
  kind: CheckKind,
  /** A domain, or an agent's canonical URL. */
  subject: z.string(),
  due_at: z.string(),
  last_tried_at: z.string().nullable(),
  last_ok_at: z.string().nullable(),
  /** Our own words; null after a success. */
  last_error: z.string().nullable(),
  /** Tries since the last success. Rows of 0.1.0 did not count them. */
  failures: z.int().min(0).optional(),
  /** When the first of those began; null (or nothing, in rows of before) where the last one went well. */
  failing_since: z.string().nullable().optional(),
  /** `slow`: it kept a worker waiting, and is looked at apart from the others. Rows of 0.1.0 knew no lanes. */
  lane: z.enum(['slow']).nullable().optional(),
  /** Since when no look has found a file, and the first found that there is none; null (or nothing, in rows of 0.1.0) otherwise. */
  absent_since: z.string().nullable().optional(),
  revision: z.number().int(),
});
export type ScheduledCheck = z.infer<typeof ScheduledCheck>;

export const scheduledChecks: CollectionSpec<ScheduledCheck> = {
  name: 'scheduled_checks',
  key: 'check_id',
  schema: ScheduledCheck,
  indexes: [
    { name: 'lane_due', fields: ['kind', 'lane', 'due_at'] },
    { name: 'failing', fields: ['kind', 'failing_since'] },
  ],
};

export interface CheckDeps {
  store: Store;
  clock: Clock;
}

/** A check that a worker holds comes up again after this long, should the worker die; in milliseconds. */
export const HELD_MS = 120_000;

/** A look that took longer than this puts its subject on the slow lane, in milliseconds. */
export const SLOW_MS = 1_000;

/** Keys are bounded and subjects may be long URLs: those are told apart by a hash of the whole. */
export function checkId(kind: CheckKind, subject: string): string {
  if (subject.length <= LONGEST_IN_KEY) return `${kind}/${subject}`;
  return `${kind}/${subject.slice(0, 400)}#${createHash('sha256').update(subject).digest('hex')}`;
}

const LONGEST_IN_KEY = 480;

/** The check of a subject, under the key of 0.1.0 too, which cut long subjects off. */
export async function findCheck(
  { store }: Pick<CheckDeps, 'store'>,
  kind: CheckKind,
  subject: string,
): Promise<ScheduledCheck | undefined> {
  const rows = store.collection(scheduledChecks);
  const found = await rows.get(checkId(kind, subject));
  if (found !== undefined || subject.length <= LONGEST_IN_KEY) return found;
  const former = await rows.get(`${kind}/${subject.slice(0, LONGEST_IN_KEY)}`);
  return former?.subject === subject ? former : undefined;
}

/** Has a subject looked at from now on; nothing happens when it is already. */
export async function scheduleCheck(deps: CheckDeps, kind: CheckKind, subject: string): Promise<void> {
  await insertCheck(deps, kind, subject, deps.clock.now());
}

/**
 * Before what a look found is written down: should this process die in between, a worker looks again within
 * {@link HELD_MS}.
 */
export async function holdCheck(deps: CheckDeps, kind: CheckKind, subject: string): Promise<void> {
  await dueBy(deps, kind, subject, deps.clock.now() + HELD_MS);
}

/** Has a subject looked at now, or at a time in milliseconds, by whichever worker is free. */
export async function hastenCheck(
  deps: CheckDeps,
  kind: CheckKind,
  subject: string,
  atMs: number = deps.clock.now(),
): Promise<void> {
  await dueBy(deps, kind, subject, atMs);
}

async function dueBy(deps: CheckDeps, kind: CheckKind, subject: string, dueMs: number): Promise<void> {
  const known = await insertCheck(deps, kind, subject, dueMs);
  const due_at = toTimestamp(dueMs);
  if (known !== undefined && known.due_at > due_at)
    await deps.store
      .collection(scheduledChecks)
      .update(known.check_id, (row) => (row.due_at > due_at ? { ...row, due_at } : undefined));
}

/** Ends the checks of a subject. */
export async function endCheck(deps: Pick<CheckDeps, 'store'>, kind: CheckKind, subject: string): Promise<void> {
  const rows = deps.store.collection(scheduledChecks);
  for (let known = await findCheck(deps, kind, subject); known; known = await findCheck(deps, kind, subject))
    await rows.delete(known.check_id);
}

/** How a look went. */
export interface Looked {
  /** By the clock, in milliseconds. */
  startedAt: number;
  /** How long it was kept waiting, in milliseconds: beyond {@link SLOW_MS} its subject is looked at on the slow lane. */
  tookMs: number;
  /** Our own words; null: it went well. */
  error: string | null;
  /** There is no file, since when, and until when that may be a mistake (in milliseconds): there is a look then. */
  absent?: { since: string; untilMs: number };
}

/**
 * Notes how a look went and when the next one is: a day after a success, sooner after a failure, each time later. A look that began
 * before the last one that was noted changes nothing.
 */
export async function noteCheck({ store, clock }: CheckDeps, checkKey: string, looked: Looked): Promise<void> {
  const { error, absent } = looked;
  const startedAt = toTimestamp(looked.startedAt);
  const nowMs = clock.now();
  await store.collection(scheduledChecks).update(checkKey, (row) => {
    const { last_tried_at: last } = row;
    // One of a time to come was written under a clock that has been set back since.
    if (last !== null && last > startedAt && last <= toTimestamp(nowMs)) return undefined;
    const failures = error === null ? 0 : (row.failures ?? 0) + 1;
    const nextMs = nowMs + nextLookMs(row.check_id, failures);
    return {
      ...row,
      due_at: toTimestamp(absent && absent.untilMs > nowMs ? Math.min(nextMs, absent.untilMs) : nextMs),
      last_tried_at: startedAt,
      last_ok_at: error === null ? toTimestamp(nowMs) : row.last_ok_at,
      last_error: error,
      failures,
      failing_since: error === null ? null : (row.failing_since ?? startedAt),
      lane: looked.tookMs > SLOW_MS ? 'slow' : null,
      absent_since: absent?.since ?? (error === null ? null : (row.absent_since ?? null)),
    };
  });
}

/** Adds a check, or answers the one that is there. */
async function insertCheck(
  deps: CheckDeps,
  kind: CheckKind,
  subject: string,
  dueMs: number,
): Promise<ScheduledCheck | undefined> {
  const known = await findCheck(deps, kind, subject);
  if (known !== undefined) return known;
  const { inserted } = await deps.store.collection(scheduledChecks).insert({
    ...{ check_id: checkId(kind, subject), kind, subject, due_at: toTimestamp(dueMs) },
    ...{ last_tried_at: null, last_ok_at: null, last_error: null, failures: 0, lane: null, absent_since: null },
    revision: 1,
  });
  return inserted ? undefined : findCheck(deps, kind, subject);
}
