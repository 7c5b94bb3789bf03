import type { Registration } from './registration.ts';
import type { Ending, TaskRun } from './task-run.ts';

/** So many registrations of a channel that have ended stay in the row, the newest, for who asks what has become of them. */
const KEPT = 5;

/** Ended registrations that are seen to at once, at most: what is pending for each is looked for in the store. */
const MAX_AT_ONCE = 100;

/**
 * The protocol's own registrations that ended before the newest {@link KEPT} and are still in the row; at most
 * {@link MAX_AT_ONCE}, the oldest. They leave it once what may be pending for them has ended; those whose ending is under way
 * are left out.
 */
export function oldRegistrations({ registrations, endings = [] }: TaskRun): Registration[] {
  const ending = new Set(endings.map(({ registration }) => registration.registration_id));
  return oldOf('a2a', registrations)
    .filter(({ registration_id }) => !ending.has(registration_id))
    .slice(0, MAX_AT_ONCE);
}

/** The registrations that stay once these endings are carried out. @param left Endings that are not yet. */
export function withoutOld(
  registrations: readonly Registration[],
  left: readonly Ending[] | undefined,
  carriedOut: readonly Ending[],
): Registration[] {
  const isOf = (one: Registration) => (ending: Ending) =>
    ending.registration.registration_id === one.registration_id && ending.registration.ended_at === one.ended_at;
  const old = new Set(oldOf('a2a', registrations));
  return registrations.filter((one) => !(old.has(one) && carriedOut.some(isOf(one)) && left?.some(isOf(one)) !== true));
}

/** The registrations of which no old one of this channel is left. Only for a channel whose ends leave nothing to be carried out. */
export function withoutOldOf(channel: Registration['channel'], registrations: readonly Registration[]): Registration[] {
  const old = new Set(oldOf(channel, registrations));
  return registrations.filter((one) => !old.has(one));
}

/** Those of a channel that have ended, without the newest, oldest end first. */
function oldOf(channel: Registration['channel'], registrations: readonly Registration[]): Registration[] {
  const ended = registrations.filter((one) => one.channel === channel && one.ended_at !== undefined);
  const inOrder = ended.sort((one, other) => (one.ended_at ?? '').localeCompare(other.ended_at ?? ''));
  return inOrder.slice(0, Math.max(0, inOrder.length - KEPT));
}
