import { canonicalJson } from '../platform/crypto/canonical-json.ts';
import type { JsonObject } from '../platform/json-object.ts';
import type { PresentedEvent, RuntimeDependencies } from './dependencies.ts';
import type { TaskRun } from './task-run.ts';

/** What an event says in the dialect of its run, and what the event was by which others are known to say the same. */
export interface Worded {
  said: string;
  told: JsonObject | undefined;
}

/**
 * Whether an event is recorded with what it says in the dialect that its run was asked for in: for the webhooks that tell of it and, of
 * what was done, for whoever is told it again. Progress is the same in all words. Pure.
 */
export function isToldInWords({ registrations, spoken }: TaskRun, { state }: PresentedEvent): boolean {
  if (state === 'working' || state === 'submitted') return false;
  if (state === 'completed' && spoken !== undefined) return true;
  return registrations.some(({ dialect, ended_at }) => dialect !== undefined && ended_at === undefined);
}

/** Whether words were made of an event that says this. Pure. */
export function areOf(words: Worded | undefined, event: PresentedEvent): words is Worded {
  return words?.said === saidBy(event);
}

/** Puts an event into words, which needs reading: before it is written. */
export async function putIntoWords(
  { present }: Pick<RuntimeDependencies, 'present'>,
  run: TaskRun,
  event: PresentedEvent,
): Promise<Worded> {
  return { said: saidBy(event), told: isToldInWords(run, event) ? await present?.(run, event) : undefined };
}

function saidBy({ state, data }: PresentedEvent): string {
  return canonicalJson({ state, data });
}
