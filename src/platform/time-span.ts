/** A stretch of time, in milliseconds since the epoch. */
export interface TimeSpan {
  /** Inclusive; -Infinity for always. */
  fromMs: number;
  /** Exclusive; Infinity for ever. */
  untilMs: number;
}

export const ALWAYS: TimeSpan = { fromMs: -Infinity, untilMs: Infinity };

/** Cuts a span around an instant, so that none of these times comes within it, but at its beginning. */
export function narrow(span: TimeSpan, times: readonly number[], atMs: number): void {
  for (const time of times) {
    if (time <= atMs) span.fromMs = Math.max(span.fromMs, time);
    else span.untilMs = Math.min(span.untilMs, time);
  }
}

export function isWithin({ fromMs, untilMs }: TimeSpan, atMs: number): boolean {
  return fromMs <= atMs && atMs < untilMs;
}
