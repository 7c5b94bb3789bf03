import { z } from 'zod';
import { instantField } from '../../platform/instant.ts';
import { canonicalTargetUri } from '#receiver/wire/target-uri';

/** A destination as deliveries name it: the scheme, host and port of any URL there. */
export const Destination = z
  .string()
  .max(2048, 'must be at most 2048 characters')
  .transform((text, context) => {
    const origin = canonicalTargetUri(text)?.origin;
    if (origin !== undefined) return origin;
    context.addIssue({ code: 'custom', message: 'must be a URL, such as https://buyer.example' });
    return z.NEVER;
  });

/** A date-time, as the store compares it. */
export const AskedInstant = instantField('must be a date-time with its offset, such as 2027-01-31T00:00:00Z').transform(
  (text) => new Date(text).toISOString(),
);
