import { z } from 'zod';
import { MAX_MINOR } from '../../platform/money.ts';

/** An amount in integer minor units of the order's currency; zero and above, at most {@link MAX_MINOR}. */
export const Minor = z.int().min(0).max(MAX_MINOR);

/** An instant of UTC in milliseconds, as `toTimestamp` writes it: strings sort as the instants do. */
export const AdInstant = z.iso.datetime({ precision: 3 });

/** An id that is given to an ad server, or by one: any text without control characters, 1–512 characters. */
export const PortId = z.string().min(1).max(512);
