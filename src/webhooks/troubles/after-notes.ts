import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import type { Ids } from '../../platform/clock.ts';
import type { Attempt, Delivery } from '../delivery/delivery.ts';
import { troubleId } from './trouble.ts';
import type { OperationalEvent, Trouble } from './trouble.ts';

/** After failing for so long, with no success between, the operator is told; in milliseconds. */
const TOLD_AFTER_MS = 3_600_000;

/** How long an episode is remembered after its last failure, in milliseconds. */
const KEPT_MS = 30 * 24 * 3_600_000;

/** What one process has seen of one receiver since it last looked at the row. */
export interface Notes {
  of: Pick<Delivery, 'organization_id' | 'destination'>;
  /** The first and the last failure since. */
  failures?: { firstAt: string; last: Attempt };
  /** The latest success. */
  succeededAt?: string;
}

interface Telling {
  ids: Ids;
  nowMs: number;
}

/** Two notes of one receiver as one. */
export function together(earlier: Notes, later: Notes): Notes {
  const [first, second] = [earlier.failures, later.failures];
  const last = [first?.last, second?.last]
    .filter((attempt) => attempt !== undefined)
    .sort(byStart)
    .at(-1);
  const firstAt = [first?.firstAt, second?.firstAt].filter((at) => at !== undefined).sort()[0];
  const succeededAt = [earlier.succeededAt, later.succeededAt]
    .filter((at) => at !== undefined)
    .sort()
    .at(-1);
  return {
    of: later.of,
    ...(last !== undefined && firstAt !== undefined && { failures: { firstAt, last } }),
    ...(succeededAt !== undefined && { succeededAt }),
  };
}

function byStart(a: Attempt, b: Attempt): number {
  return a.started_at < b.started_at ? -1 : a.started_at > b.started_at ? 1 : 0;
}

/** The episode that begins with these notes; undefined when there is none. Pure but for the ids. */
export function beginning(notes: Notes, telling: Telling): Trouble | undefined {
  const { failures, succeededAt = '' } = notes;
  if (failures === undefined || failures.last.started_at <= succeededAt) return undefined;
  const { firstAt, last } = failures;
  const begun: Trouble = {
    trouble_id: troubleId(notes.of),
    episode_id: telling.ids.newId(),
    organization_id: notes.of.organization_id,
    destination: notes.of.destination,
    failing_since: firstAt > succeededAt ? firstAt : last.started_at,
    ...causeOf(last),
    ...{ state: 'watched', is_signature_told: false, events: 0, owed: [], revision: 1 },
  };
  return decided(begun, telling);
}

/** The episode after these notes; undefined when they change nothing in it. Pure but for the ids. */
export function afterNotes(trouble: Trouble, notes: Notes, telling: Telling): Trouble | undefined {
  const { failures, succeededAt } = notes;
  if (trouble.state === 'over') return undefined;
  const last = failures?.last;
  const isNewer = last !== undefined && last.started_at > trouble.last_failed_at;
  const seen: Trouble = isNewer ? { ...trouble, ...causeOf(last) } : trouble;
  if (succeededAt !== undefined && succeededAt > seen.failing_since) {
    // It fails again since, or at times: the hour begins anew.
    if (trouble.state === 'watched' && !trouble.is_signature_told && seen.last_failed_at > succeededAt) {
      return decided({ ...seen, failing_since: seen.last_failed_at }, telling);
    }
    return over(seen, telling);
  }
  return isNewer ? decided(seen, telling) : undefined;
}

/** With what is to be told of it now. */
function decided(trouble: Trouble, telling: Telling): Trouble {
  const forMs = fromTimestamp(trouble.last_failed_at) - fromTimestamp(trouble.failing_since);
  const failing: Trouble =
    trouble.state === 'watched' && forMs >= TOLD_AFTER_MS
      ? owing({ ...trouble, state: 'failing' }, 'destination_failing', telling)
      : trouble;
  return failing.signature_error !== undefined && !failing.is_signature_told
    ? owing({ ...failing, is_signature_told: true }, 'signature_refused', telling)
    : failing;
}

/** It answers again: told only where the operator knows that it did not. */
function over(trouble: Trouble, telling: Telling): Trouble {
  const ended: Trouble = { ...trouble, state: 'over' };
  const isKnown = trouble.state === 'failing' || trouble.is_signature_told;
  return isKnown ? owing(ended, 'destination_recovered', telling) : ended;
}

function owing(trouble: Trouble, event: OperationalEvent, { ids, nowMs }: Telling): Trouble {
  const sequence = trouble.events + 1;
  const owed = { event, sequence, idempotency_key: ids.newId(), decided_at: toTimestamp(nowMs) };
  return { ...trouble, events: sequence, owed: [...trouble.owed, owed] };
}

type Cause = Pick<Trouble, 'last_failed_at' | 'cause' | 'expires_at'> &
  Partial<Pick<Trouble, 'http_status_code' | 'signature_error'>>;

function causeOf({ started_at, error_message, http_status_code, signature_error }: Attempt): Cause {
  return {
    last_failed_at: started_at,
    cause: error_message ?? 'not delivered',
    ...(http_status_code !== undefined && { http_status_code }),
    ...(signature_error !== undefined && { signature_error }),
    expires_at: toTimestamp(fromTimestamp(started_at) + KEPT_MS),
  };
}
