import { z } from 'zod';
import { isCurrency } from '../platform/currency.ts';

/** Names a thing in a catalog and on the wire: letters, digits, `_`, `.` and `-`, 1–128 characters. */
export const Identifier = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/,
    'must be 1–128 letters, digits, "_", "." or "-", a letter or digit first',
  );

/** Words for people: not empty, no control characters, at most 4,000 characters. */
export const Text = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(4000)
  .regex(/^[^\p{Cc}]*$/u, 'must not contain control characters');

export const WebUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });

/** A host name in lower case, at least two labels, no port. */
export const Domain = z
  .string()
  .max(253)
  .regex(/^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/, 'must be a domain in lower case');

/** ISO 4217, in capitals. */
export const Currency = z.string().refine(isCurrency, 'must be an ISO 4217 currency code, such as USD');

/** ISO 3166-1 alpha-2, in capitals. */
export const Country = z.string().regex(/^[A-Z]{2}$/, 'must be a two-letter country code in capitals, such as US');

/** ISO 3166-2, in capitals. */
export const Region = z.string().regex(/^[A-Z]{2}-[A-Z0-9]{1,3}$/, 'must be an ISO 3166-2 code, such as US-NY');

/** What inventory is sold as. A product may be sold as several. */
export const Channel = z.enum(['display', 'video', 'ctv', 'audio', 'podcast', 'native', 'email', 'social', 'dooh']);
export type Channel = z.infer<typeof Channel>;

export const DeliveryType = z.enum(['guaranteed', 'non_guaranteed']);
export type DeliveryType = z.infer<typeof DeliveryType>;

/** Items of which no two are the same. */
export function distinct<T extends z.ZodType<string>>(item: T) {
  return z.array(item).refine((items) => new Set(items).size === items.length, 'must not name anything twice');
}
