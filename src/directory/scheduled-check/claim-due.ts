import { toTimestamp } from '../../platform/clock.ts';
import { HELD_MS, scheduledChecks } from './scheduled-check.ts';
import type { CheckDeps, CheckKind, ScheduledCheck } from './scheduled-check.ts';

/** `slow` is for subjects whose last look took long; `usual` for all others. */
export type CheckLane = 'usual' | 'slow';

/** Looks of one host follow each other at this distance when many are due at once, in milliseconds. */
const SAME_HOST_MS = 2_000;

export interface Claimed {
  /** For this worker alone, until it notes how the look went, gives it back, or {@link HELD_MS} have passed. */
  taken: ScheduledCheck[];
  /** How many were found due, whoever got them. */
  found: number;
}

/**
 * Claims what is due, oldest first, and of one host one at most; further ones of a host are put off a little, so that nobody
 * fills the queue with one host. Any number of processes may claim at once.
 */
export async function claimDue(
  { store, clock }: CheckDeps,
  { kind, lane, most }: { kind: CheckKind; lane: CheckLane; most: number },
  host: { of: (subject: string) => string; isBusy: (host: string) => boolean },
): Promise<Claimed> {
  const rows = store.collection(scheduledChecks);
  const nowMs = clock.now();
  const { rows: due } = await rows.find({
    where: { kind, lane: lane === 'slow' ? 'slow' : null, due_at: { lte: toTimestamp(nowMs) } },
    sort: { field: 'due_at', direction: 'asc' },
    limit: Math.min(1000, most),
  });
  const ofHost = new Map<string, number>();
  const claims = due.map(async (check) => {
    const name = host.of(check.subject);
    const earlier = ofHost.get(name) ?? (host.isBusy(name) ? 1 : 0);
    ofHost.set(name, earlier + 1);
    if (earlier === 0)
      return rows.replace({ ...check, due_at: toTimestamp(nowMs + HELD_MS), last_tried_at: toTimestamp(nowMs) });
    await rows.replace({ ...check, due_at: toTimestamp(nowMs + earlier * SAME_HOST_MS) });
    return undefined;
  });
  return { taken: (await Promise.all(claims)).filter((check) => check !== undefined), found: due.length };
}

/** Gives a claim back, due at once or after so many milliseconds: its look was broken off. */
export async function giveBack(
  { store, clock }: CheckDeps,
  check: ScheduledCheck,
  lane: CheckLane,
  afterMs = 0,
): Promise<void> {
  await store.collection(scheduledChecks).update(check.check_id, (row) =>
    // Whoever has it since, has it.
    row.last_tried_at === check.last_tried_at
      ? { ...row, due_at: toTimestamp(clock.now() + afterMs), lane: lane === 'slow' ? 'slow' : null }
      : undefined,
  );
}
