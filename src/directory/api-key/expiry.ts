import { z } from 'zod';
import { toTimestamp } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';

/** When a key is to end, as whoever makes it says it; see {@link expiryOf}. */
export const AskedExpiry = z.iso.datetime('must be a time such as 2027-01-31T00:00:00Z');

/** The end of a key as it is stored. @throws {AppError} `INVALID_REQUEST` for a time that is over. */
export function expiryOf(asked: string, now: number): string {
  const endMs = Date.parse(asked);
  if (endMs > now) return toTimestamp(endMs);
  throw new AppError('INVALID_REQUEST', 'expires_at must be in the future', { field: 'expires_at' });
}
