import { SCHEMES } from './index.ts';
import type { Scheme } from './scheme.ts';

/**
 * The scheme of a stored mode.
 * @throws {Error} for a mode that is not in the table, such as one of a newer release: nothing is sent for it, least of
 * all under another scheme.
 */
export function schemeOf(mode: string): Scheme {
  if (Object.hasOwn(SCHEMES, mode)) return SCHEMES[mode as keyof typeof SCHEMES];
  throw new Error(`no webhook scheme is called ${mode}`);
}
