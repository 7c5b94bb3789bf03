import type { UnreadableCode } from './events/read-event.ts';
import type { RefusalCode } from './verify/refusal.ts';

/** What became of a webhook. */
export type OutcomeKind =
  /** The handler has it. */
  | 'handled'
  /** It was handled before. */
  | 'duplicate'
  /** A newer state of the same subject was handled. */
  | 'stale'
  /** Verified, and you agree to hear of what it asks. */
  | 'agreed'
  /** Verified, and of an operation that `expects` does not know, or asking what you do not agree to. */
  | 'unexpected'
  /** Verified, and no event that this version can read. */
  | 'unreadable'
  /** Not verified; `code` says why. */
  | 'refused'
  /** `registration` found nothing for the request. */
  | 'unknown_endpoint'
  /** Not a POST. */
  | 'not_a_post'
  /** Another copy, or another event of the same subject, is still being handled. */
  | 'busy'
  /** The sender has used up its share of the inbox. */
  | 'full'
  /** A body parser came before the receiver. */
  | 'body_already_parsed'
  /** The handler, a store or the lookup of the registration threw. */
  | 'failed';

/** How one webhook was answered, for logs and alarms; holds no body and no secret. */
export interface WebhookOutcome {
  outcome: OutcomeKind;
  /** The HTTP status it was answered with. */
  status: number;
  /** Why it was refused, or could not be read. */
  code?: RefusalCode | UnreadableCode;
  /** What exactly was found, in words: why a key was not found, what could not be fetched. The sender is not told. */
  reason?: string;
  sender?: string;
  keyid?: string;
  operation_id?: string;
  task_id?: string;
  idempotency_key?: string;
  /** What an answer that agrees repeats. */
  challenge?: string;
  /** What was thrown. */
  error?: unknown;
}
