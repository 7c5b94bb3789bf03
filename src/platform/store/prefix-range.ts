/** No text that is searched has a character behind this one. */
const LAST = '\u{10ffff}';

/** Texts that begin so, as a condition on one field of an index; with `after` those behind that one alone. */
export function prefixRange(begins: string, after = ''): { gt: string; lt: string } | { gte: string; lt: string } {
  const lt = `${begins}${LAST}`;
  return after !== '' && after >= begins ? { gt: after, lt } : { gte: begins, lt };
}
