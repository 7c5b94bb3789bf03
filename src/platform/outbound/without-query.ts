/** A URL as it may be shown: what stands behind `?` or `#` may be a secret (rule W11). */
export function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, '');
}
