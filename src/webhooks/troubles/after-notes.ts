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

/** Two notes of one receiver as one, in whichever order. */
export function bothNotes(one: Notes, other: Notes): Notes {
  const failures =
    one.failures && other.failures ? bothFailures(one.failures, other.failures) : (one.failures ?? other.failures);
  const succeededAt = later(one.succeededAt, other.succeededAt);
  return { of: one.of, ...(failures && { failures }), ...(succeededAt !== undefined && { succeededAt }) };
}

function bothFailures(one: NonNullable<Notes['failures']>, other: typeof one): typeof one {
  return {
    firstAt: one.firstAt <= other.firstAt ? one.firstAt : other.firstAt,
    last: one.last.started_at >= other.last.started_at ? one.last : other.last,
  };
}

function later(one: string | undefined, other: string | undefined): string | undefined {
  return one === undefined || (other !== undefined && other > one) ? other : one;
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
    ...{ state: 'watched', is_signature_told: false, events: 0, owed: [], is_due: false, revision: 1 },
  };
  return decided(begun, telling);
}

/** The episode after these notes; undefined when they change nothing in it. Pure but for the ids. */
export function afterNotes(trouble: Trouble, notes: Notes, telling: Telling): Trouble | undefined {
  const { failures, succeededAt } = notes;
  if (trouble.state === 'over') return undefined;
  const last = failures?.last;
  const isNewer = last !== undefined && last.started_at > trouble.last_failed_at;
  const seen = isNewer ? withCause(trouble, last) : trouble;
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
  const ended: Trouble = { ...trouble, state: 'over', is_due: true };
  const isKnown = trouble.state === 'failing' || trouble.is_signature_told;
  return isKnown ? owing(ended, 'destination_recovered', telling) : ended;
}

function owing(trouble: Trouble, event: OperationalEvent, { ids, nowMs }: Telling): Trouble {
  const sequence = trouble.events + 1;
  const owed = { event, sequence, idempotency_key: ids.newId(), decided_at: toTimestamp(nowMs) };
  return { ...trouble, events: sequence, owed: [...trouble.owed, owed], is_due: true };
}

/** What was said of the signature stays: the operator may still have to be told. */
function withCause({ http_status_code: _former, ...trouble }: Trouble, last: Attempt): Trouble {
  return { ...trouble, ...causeOf(last) };
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
