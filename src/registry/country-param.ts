import { z } from 'zod';
import { isCountry } from '../platform/country.ts';

/** The country of a question, in either case; answered in capitals. */
export function countryParam() {
  return z
    .string()
    .transform((text) => text.toUpperCase())
    .refine(isCountry, 'send a country by the two letters of ISO 3166-1, such as US, or GB and not UK');
}
