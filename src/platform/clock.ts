import { randomUUID } from 'node:crypto';

/** Where time comes from: the system clock in production, a clock under control in tests. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
}

/** Where chance comes from. */
export interface Ids {
  /** A random UUID, version 4 (RFC 9562). */
  newId(): string;
}

export const systemClock: Clock = { now: () => Date.now() };
export const randomIds: Ids = { newId: () => randomUUID() };

/** An instant as the wire and the store write it: RFC 3339, UTC, milliseconds; strings sort as the instants do. */
export function toTimestamp(ms: number): string {
  return new Date(ms).toISOString();
}

/** The instant, in milliseconds, of a timestamp made by {@link toTimestamp}. */
export function fromTimestamp(timestamp: string): number {
  return Date.parse(timestamp);
}
