/** A country of ISO 3166-1 alpha-2, in capitals. False for codes that are free or withdrawn, such as UK. */
export function isCountry(code: string): boolean {
  if (!/^[A-Z]{2}$/.test(code)) return false;
  const known = asked.get(code);
  if (known !== undefined) return known;
  const isOne =
    !NO_COUNTRIES.has(code) && countryNames.of(code) !== undefined && new Intl.Locale(`und-${code}`).region === code;
  asked.set(code, isOne);
  return isOne;
}

const countryNames = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
/** Two-letter codes that have a name and are no countries. */
const NO_COUNTRIES = new Set(['EU', 'EZ', 'UN', 'QO', 'XA', 'XB', 'ZZ']);

/** What has been asked, of the 676 codes of two letters that there can be: every line of a buy asks, and Intl takes its time. */
const asked = new Map<string, boolean>();
