const MIN_CREDENTIALS = 32;

/** Why a text is no shared secret, whatever scheme it is for; undefined where it is one. */
export function sharedSecretFault(credentials: string): string | undefined {
  if (credentials.length < MIN_CREDENTIALS) return `send at least ${MIN_CREDENTIALS} characters`;
  if (/^(.)\1*$/s.test(credentials)) return 'one repeated character is no secret; send random characters';
  return undefined;
}
