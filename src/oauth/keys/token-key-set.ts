import { calculateJwkThumbprint, createLocalJWKSet, exportJWK, generateKeyPair, importJWK } from 'jose';
import type { CryptoKey, JWK, JWTVerifyGetKey } from 'jose';
import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import type { OAuthContext } from '../context.ts';
import { isRetired, sealedForSlot, tokenKeys } from './token-key-row.ts';
import type { TokenKeyRow } from './token-key-row.ts';

export const TOKEN_ALG = 'ES256';

export interface TokenKey {
  kid: string;
  privateKey: CryptoKey;
  publicJwk: JWK;
  not_before: string;
}

/** The keys that sign access tokens: their own, never those of webhooks. */
export interface TokenKeySet {
  /** The key that signs now. */
  signer(): Promise<TokenKey>;
  /** The key set to publish. */
  jwks(): Promise<{ keys: JWK[] }>;
  /** For `jwtVerify`. */
  keys: JWTVerifyGetKey;
}

interface Line {
  published: TokenKey[];
  jwks: { keys: JWK[] };
  find: JWTVerifyGetKey;
}

/** How long a process goes on with the keys it knows. */
const REFRESH_MS = 30_000;
/** A key signs for so long, and is published so long before, so that every verifier has had time to learn of it. */
const SIGNS_FOR_MS = 30 * 86_400_000;
const PUBLISH_AHEAD_MS = 86_400_000;
/** How long past its last signature a key is published: longer than any access token lives. */
const LINGER_MS = 3_600_000;

/** ES256 keys in the store, sealed; a new one each month. @throws {Error} for a key that an unknown secret sealed. */
export function tokenKeySet({
  store,
  clock,
  sealer,
  names,
  log,
}: Pick<OAuthContext, 'store' | 'clock' | 'sealer' | 'names' | 'log'>): TokenKeySet {
  const rows = store.collection(tokenKeys);
  const opened = new Map<string, TokenKey>();
  let known: { at: number; line: Line } | undefined;
  let loading: Promise<Line> | undefined;

  async function make(slot: string, notBeforeMs: number): Promise<void> {
    const { privateKey } = await generateKeyPair(TOKEN_ALG, { extractable: true });
    const jwk = await exportJWK(privateKey);
    const kid = await calculateJwkThumbprint(jwk);
    const sealed_jwk = sealer.seal(JSON.stringify(jwk), sealedForSlot(slot));
    const { inserted } = await rows.insert({
      slot,
      kid,
      sealed_jwk,
      not_before: toTimestamp(notBeforeMs),
      revision: 1,
    });
    if (inserted) log.info({ kid }, 'token key made');
  }

  async function read(): Promise<TokenKeyRow[]> {
    return (await rows.find({ where: { slot: { gt: '' } }, sort: { field: 'slot', direction: 'asc' }, limit: 1000 }))
      .rows;
  }

  async function load(): Promise<Line> {
    const now = clock.now();
    let line = await read();
    const last = line.findLast((row) => !isRetired(row));
    const signsFrom = last === undefined ? now : Math.max(now, fromTimestamp(last.not_before) + SIGNS_FOR_MS);
    if (last === undefined || signsFrom - PUBLISH_AHEAD_MS <= now) {
      await make(slotAfter(line.at(-1)?.slot), signsFrom);
      line = await read();
    }
    const good = line.filter((row) => !isRetired(row));
    const published = await Promise.all(good.filter((_, i) => isPublished(good[i + 1], now)).map(open));
    const jwks = { keys: published.map(({ publicJwk }) => publicJwk) };
    return { published, jwks, find: createLocalJWKSet(jwks) };
  }

  async function open({ slot, kid, sealed_jwk, not_before }: TokenKeyRow): Promise<TokenKey> {
    const ready = opened.get(kid);
    if (ready !== undefined) return ready;
    const jwk = JSON.parse(sealer.open(sealed_jwk, sealedForSlot(slot))) as JWK;
    const { kty, crv, x, y } = jwk as Required<JWK>;
    const key: TokenKey = {
      kid,
      privateKey: (await importJWK(jwk, TOKEN_ALG)) as CryptoKey,
      publicJwk: { kty, crv, x, y, kid, alg: TOKEN_ALG, use: 'sig', [names.keyUseField]: 'access-token-signing' },
      not_before,
    };
    opened.set(kid, key);
    return key;
  }

  async function line(): Promise<Line> {
    if (known !== undefined && clock.now() < known.at + REFRESH_MS) return known.line;
    loading ??= load().finally(() => {
      loading = undefined;
    });
    const loaded = await loading;
    known = { at: clock.now(), line: loaded };
    return loaded;
  }

  return {
    jwks: async () => (await line()).jwks,
    async signer() {
      const { published } = await line();
      const now = toTimestamp(clock.now());
      const key = published.findLast(({ not_before }) => not_before <= now) ?? published[0];
      if (key === undefined) throw new Error('there is no key to sign access tokens with');
      return key;
    },
    keys: async (header, token) => (await line()).find(header, token),
  };
}

function isPublished(successor: TokenKeyRow | undefined, now: number): boolean {
  return successor === undefined || fromTimestamp(successor.not_before) + LINGER_MS > now;
}

function slotAfter(slot: string | undefined): string {
  return String(Number(slot ?? '0') + 1).padStart(6, '0');
}
