import type { Answered } from '../../../webhooks/delivery/destination-figures.ts';
import type { DestinationView } from './destinations.ts';

type Standing = Pick<DestinationView, 'is_paused' | 'consecutive_failures'>;
type LastAnswer = Pick<Answered, 'http_status_code'> | null;

/**
 * In a word: whether anything goes there, and whether it is taken. A 401 is no breakdown, so that nothing is held back for it;
 * yet whoever answers so last takes nothing of ours until somebody mends it. Pure.
 */
export function stateOfReceiver(
  { is_paused, consecutive_failures }: Standing,
  last: LastAnswer,
): 'paused' | 'failing' | 'refusing' | 'ok' {
  if (is_paused) return 'paused';
  if (consecutive_failures > 0) return 'failing';
  return last?.http_status_code === 401 ? 'refusing' : 'ok';
}

/** Whether somebody has to look at it. Pure. */
export function isInTrouble(one: Standing & { last_attempt: LastAnswer }): boolean {
  return stateOfReceiver(one, one.last_attempt) !== 'ok';
}
