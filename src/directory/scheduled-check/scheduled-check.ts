import { z } from 'zod';
import { toTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import type { CollectionSpec, Store } from '../../platform/store/collection.ts';

/** What is looked at again and again: a publisher's `adagents.json`, or an agent for its badges. */
export const CheckKind = z.enum(['adagents', 'badges']);
export type CheckKind = z.infer<typeof CheckKind>;

/** One thing that workers look at when it is due, and how that last went. */
export const ScheduledCheck = z.object({
  check_id: z.string(),
  kind: CheckKind,
  /** A publisher domain, or an agent's canonical URL. */
  subject: z.string(),
  due_at: z.string(),
  last_tried_at: z.string().nullable(),
  last_ok_at: z.string().nullable(),
  /** Our own words; null after a success. */
  last_error: z.string().nullable(),
  revision: z.number().int(),
});
export type ScheduledCheck = z.infer<typeof ScheduledCheck>;

export const scheduledChecks: CollectionSpec<ScheduledCheck> = {
  name: 'scheduled_checks',
  key: 'check_id',
  schema: ScheduledCheck,
  indexes: [{ name: 'due', fields: ['kind', 'due_at'] }],
};

interface Deps {
  store: Store;
  clock: Clock;
}

/** A check that a worker holds comes up again after this long, should the worker die; in milliseconds. */
const HELD_MS = 120_000;
const AGAIN_AFTER_SUCCESS_MS = 24 * 3_600_000;
const AGAIN_AFTER_FAILURE_MS = 3_600_000;

/** Subjects may be long URLs; keys are bounded. */
export function checkId(kind: CheckKind, subject: string): string {
  return `${kind}/${subject.slice(0, 480)}`;
}

/** Has a subject looked at from now on; nothing happens when it is already. */
export async function scheduleCheck({ store, clock }: Deps, kind: CheckKind, subject: string): Promise<void> {
  await store.collection(scheduledChecks).insert({
    ...{ check_id: checkId(kind, subject), kind, subject, due_at: toTimestamp(clock.now()) },
    ...{ last_tried_at: null, last_ok_at: null, last_error: null, revision: 1 },
  });
}

/** Takes what is due, each for this worker alone. */
export async function takeDue({ store, clock }: Deps, kind: CheckKind, most: number): Promise<ScheduledCheck[]> {
  const rows = store.collection(scheduledChecks);
  const now = toTimestamp(clock.now());
  const held = toTimestamp(clock.now() + HELD_MS);
  const { rows: due } = await rows.find({
    where: { kind, due_at: { lte: now } },
    sort: { field: 'due_at', direction: 'asc' },
    limit: most,
  });
  const taken = await Promise.all(due.map((check) => rows.replace({ ...check, due_at: held, last_tried_at: now })));
  return taken.filter((check) => check !== undefined);
}

/** Notes how a check went, and when it comes up again: a day after a success, an hour after a failure. */
export async function noteCheck({ store, clock }: Deps, checkKey: string, error: string | null): Promise<void> {
  const now = clock.now();
  await store.collection(scheduledChecks).update(checkKey, (row) => ({
    ...row,
    due_at: toTimestamp(now + (error === null ? AGAIN_AFTER_SUCCESS_MS : AGAIN_AFTER_FAILURE_MS)),
    last_tried_at: toTimestamp(now),
    last_ok_at: error === null ? toTimestamp(now) : row.last_ok_at,
    last_error: error,
  }));
}
