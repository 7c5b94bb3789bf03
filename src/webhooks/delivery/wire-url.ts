import { canonicalTargetUri } from '#receiver/wire/target-uri';

/**
 * The URL in the one spelling that is both signed and sent: canonical (rule W14), then as the URL parser of the
 * HTTP client writes it, which escapes a few characters more and drops an empty query.
 * @throws {RangeError} for a URL that cannot be signed; registration has refused those.
 */
export function wireUrl(url: string): string {
  const known = spellings.get(url);
  if (known !== undefined) return known;
  if (spellings.size >= MAX_SPELLINGS) spellings.clear();
  const spelling = spell(url);
  spellings.set(url, spelling);
  return spelling;
}

/** URLs come again with every event of a task and every attempt. */
const spellings = new Map<string, string>();
const MAX_SPELLINGS = 5000;

function spell(url: string): string {
  const canonical = canonicalTargetUri(url);
  if (canonical === undefined) throw new RangeError('the webhook URL cannot be signed: it is malformed');
  const parsed = new URL(canonical.uri);
  return parsed.origin + parsed.pathname + parsed.search;
}
