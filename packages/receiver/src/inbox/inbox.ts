/** How long events are remembered at least, in milliseconds (rule C.limits.dedup: 24 hours). */
const MIN_RETENTION_MS = 86_400_000;

/**
 * How much longer they are remembered than is asked, in milliseconds: a sender reckons the same 24 hours by its own clock, and may be
 * sending a copy while they end.
 */
const SKEW_MS = 300_000;

/** One event as the inbox knows it. */
export interface InboxEvent {
  /** The authenticated sender identity. */
  sender: string;
  idempotencyKey: string;
  /** What it tells the state of, and of which instant (milliseconds); undefined for an event that stands alone. */
  order: { subject: string; at: number } | undefined;
}

/**
 * `claimed`: handle it now. `duplicate`: handled before. `stale`: a newer state of the same subject was handled.
 * `busy`: this event, or another one of the same subject, is being handled at this moment. `full`: this sender has used
 * up its share of the memory.
 */
export type InboxClaim = 'claimed' | 'duplicate' | 'stale' | 'busy' | 'full';

/**
 * Remembers which events of which sender have been handled, and how far each subject has come (rules C.events.4,
 * W15). One inbox serves all endpoints of a receiver. Times in milliseconds.
 */
export interface Inbox {
  /**
   * Takes an event for handling, in one atomic step. A claim ends by itself after the lease: the process that died with
   * it loses no event.
   */
  claim(event: InboxEvent, owner: string, now: number): Promise<InboxClaim>;
  /** Handled: duplicates are now answered without handling, for the retention. */
  finish(event: InboxEvent, owner: string, now: number): Promise<void>;
  /** Not handled: the next copy may be claimed. Only the owner's own claim is given up. */
  release(event: InboxEvent, owner: string): Promise<void>;
}

export interface InboxOptions {
  /** How long handled events are remembered: 24 hours (default) or more, and five minutes besides for clocks that differ. */
  retentionMs?: number;
  /** How long a handler may take before its claim is given to another copy. Default 60,000. */
  leaseMs?: number;
  /** How many events of one sender are remembered before more are refused. Default 1,000,000. */
  eventsPerSender?: number;
}

/** The options with their defaults, and with what clocks differ by. @throws {RangeError} for a retention under 24 hours. */
export function inboxLimits({
  retentionMs = MIN_RETENTION_MS,
  leaseMs = 60_000,
  eventsPerSender = 1_000_000,
}: InboxOptions): Required<InboxOptions> {
  if (!(retentionMs >= MIN_RETENTION_MS)) throw new RangeError('events are remembered for at least 24 hours');
  return { retentionMs: retentionMs + SKEW_MS, leaseMs, eventsPerSender };
}
