import { withoutQuery } from '../outbound/without-query.ts';
import { sealedKeyId } from './sealer.ts';
import type { Sealer } from './sealer.ts';

/**
 * A webhook's URL as it is stored (rule W11.sealed): what stands behind `?` or `#` may be a secret, so it is sealed where it
 * stands, for this place alone. What is left tells origin and path, by which destinations, targets and views go.
 */
export function storedUrl(sealer: Sealer, url: string): string {
  const place = withoutQuery(url);
  return place === url ? url : `${place}?${sealer.seal(url.slice(place.length), queryOf(place))}`;
}

/**
 * The URL that was registered. One that stands there unsealed, as in rows of 0.1.0, is that.
 * @throws {Error} when the key that sealed it is not at hand.
 */
export function registeredUrl(sealer: Sealer, stored: string): string {
  const [place, tail] = [withoutQuery(stored), tailOf(stored)];
  return sealedKeyId(tail) === undefined ? stored : place + sealer.open(tail, queryOf(place));
}

/** Whether two stored URLs are the same: what is sealed twice reads otherwise each time. */
export function isSameUrl(sealer: Sealer, one: string, other: string): boolean {
  if (one === other) return true;
  return withoutQuery(one) === withoutQuery(other) && registeredUrl(sealer, one) === registeredUrl(sealer, other);
}

/** Whether a text is a URL whose query a previous secret sealed. */
export function isUrlByPrevious(sealer: Sealer, text: string): boolean {
  return sealer.isByPrevious(tailOf(text));
}

/** Whether there is something in a stored URL to seal, and nothing sealed. */
export function isUrlOpen(stored: string): boolean {
  return stored !== withoutQuery(stored) && sealedKeyId(tailOf(stored)) === undefined;
}

/** What stands behind the first `?` or `#`. */
function tailOf(url: string): string {
  return url.slice(withoutQuery(url).length + 1);
}

/** What the sealed part of a URL is bound to. */
function queryOf(place: string): string {
  return `query of ${place}`;
}
