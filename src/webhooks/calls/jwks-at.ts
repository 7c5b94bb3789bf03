import type { FetchJson } from '#receiver/keys/fetch-json';
import { keysOf } from '#receiver/keys/resolved-key';
import type { Jwk, ResolveKey } from '#receiver/keys/resolved-key';

/** How long fetched keys are used without asking again, in milliseconds. */
const USE_MS = 300_000;
/** How often an unknown key id may have them fetched again before that. */
const REFETCH_MS = 5_000;

/**
 * Finds keys in the JWKS document at a URL of the operator's own, fetched once for all callers. Keys that were fetched serve on
 * while it is away; that none ever were is thrown.
 * @param now milliseconds since the epoch.
 */
export function jwksAt(url: string, fetchJson: FetchJson, now: () => number = Date.now): ResolveKey {
  let known: ResolveKey | undefined;
  let triedAtMs = -Infinity;
  let fetching: Promise<void> | undefined;

  async function fetchKeys(): Promise<void> {
    triedAtMs = now();
    const { status, json } = await fetchJson(url);
    if (status !== 200) throw new Error(`the keys at ${url} are answered ${status}`);
    const keys = (json as { keys?: unknown } | null | undefined)?.keys;
    if (!Array.isArray(keys)) throw new Error(`what is at ${url} is no JWKS`);
    const objects = keys.filter((key): key is Jwk => typeof key === 'object' && key !== null);
    known = keysOf({ keys: objects });
  }

  async function refresh(): Promise<void> {
    fetching ??= fetchKeys().finally(() => (fetching = undefined));
    try {
      await fetching;
    } catch (error) {
      if (known === undefined) throw error;
    }
  }

  return async (keyid) => {
    if (known === undefined || now() - triedAtMs > USE_MS) await refresh();
    const found = await known?.(keyid);
    if ((found !== undefined && 'jwk' in found) || now() - triedAtMs < REFETCH_MS) return found;
    await refresh();
    return known?.(keyid);
  };
}
