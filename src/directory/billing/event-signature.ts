import { createHmac, timingSafeEqual } from 'node:crypto';
import { AppError } from '../../platform/errors.ts';

/** How far a signature's time may be from ours, in seconds. */
const TOLERANCE_SECONDS = 300;

/** The header of Stripe's scheme for these bytes: `t=<unix seconds>,v1=<hex HMAC-SHA256 of "<t>.<body>">`. */
export function signEvent(body: Buffer | string, secret: string, nowMs: number): string {
  const time = String(Math.floor(nowMs / 1000));
  return `t=${time},v1=${digestOf(time, body, secret).toString('hex')}`;
}

/**
 * Checks such a header; of several `v1`, as while a secret is rotated, one has to fit.
 * @throws {AppError} `UNAUTHORIZED`.
 */
export function verifyEvent(body: Buffer, header: string | undefined, secret: string, nowMs: number): void {
  const parts = (header ?? '').split(',').map((part) => part.trim().split('='));
  const time = parts.find(([name]) => name === 't')?.[1] ?? '';
  const shown = parts.flatMap(([name, value]) => (name === 'v1' && value !== undefined ? [value] : []));
  if (!/^\d{1,12}$/.test(time) || shown.length === 0) throw new AppError('UNAUTHORIZED', 'the event is not signed');
  const expected = digestOf(time, body, secret);
  const isGenuine = shown.some(
    (hex) => /^[0-9a-f]{64}$/.test(hex) && timingSafeEqual(Buffer.from(hex, 'hex'), expected),
  );
  if (!isGenuine) throw new AppError('UNAUTHORIZED', "the event's signature is wrong");
  if (Math.abs(nowMs / 1000 - Number(time)) > TOLERANCE_SECONDS)
    throw new AppError('UNAUTHORIZED', "the event's signature is too old");
}

function digestOf(time: string, body: Buffer | string, secret: string): Buffer {
  return createHmac('sha256', secret).update(`${time}.`).update(body).digest();
}
