import { afterEach, expect, it } from 'vitest';
import { tokenKeys } from '../../src/oauth/keys/token-key-row.ts';
import { tokenKeySet } from '../../src/oauth/keys/token-key-set.ts';
import type { TokenKeySet } from '../../src/oauth/keys/token-key-set.ts';
import type { Store } from '../../src/platform/store/collection.ts';
import { protocolNames } from '../../src/platform/protocol-name.ts';
import { sealer } from '../../src/platform/crypto/sealer.ts';
import { installation, silent } from '../directory/support/installation.ts';
import type { Installation } from '../directory/support/installation.ts';

const DAY_MS = 86_400_000;

let at: Installation;
afterEach(() => at.close());

function keySetOn(store: Store, secret = 'a secret of this test that is long enough'): TokenKeySet {
  return tokenKeySet({ store, clock: at.clock, sealer: sealer(secret), names: protocolNames(), log: silent });
}

async function kidsOf(keySet: TokenKeySet): Promise<unknown[]> {
  return (await keySet.jwks()).keys.map(({ kid }) => kid);
}

it('processes that start at once share one first key', async () => {
  at = await installation([tokenKeys]);
  const keySets = await Promise.all(Array.from({ length: 5 }, async () => keySetOn(await at.another())));
  const kids = await Promise.all(keySets.map(async (keySet) => (await keySet.signer()).kid));
  expect(new Set(kids).size).toBe(1);
});

it('a key is sealed in the store, and opens with no other secret', async () => {
  at = await installation([tokenKeys]);
  const { publicJwk } = await keySetOn(at.store).signer();
  const [row] = (await at.store.collection(tokenKeys).find({ where: { slot: { gt: '' } } })).rows;
  expect(row?.sealed_jwk).toMatch(/^s1\./);
  expect(JSON.stringify(row)).not.toContain(publicJwk.x);
  await expect(keySetOn(at.store, 'another secret that is long enough, too').signer()).rejects.toThrow(
    'not configured',
  );
});

it('a new key is published a day before it signs, each month, and the old one for an hour after', async () => {
  at = await installation([tokenKeys]);
  const keySet = keySetOn(at.store);
  const { kid: first } = await keySet.signer();
  at.clock.advance(29 * DAY_MS - 1000);
  expect(await kidsOf(keySet)).toEqual([first]);
  at.clock.advance(60_000);
  const kids = await kidsOf(keySet);
  expect(kids).toEqual([first, expect.not.stringMatching(first)]);
  expect((await keySet.signer()).kid).toBe(first);
  at.clock.advance(DAY_MS);
  expect((await keySet.signer()).kid).toBe(kids[1]);
  expect(await kidsOf(keySet)).toEqual(kids);
  at.clock.advance(3_600_000);
  expect(await kidsOf(keySet)).toEqual([kids[1]]);
});

it('a service that slept for a year signs with a new key at once, and still shows the one before', async () => {
  at = await installation([tokenKeys]);
  const { kid: first } = await keySetOn(at.store).signer();
  at.clock.advance(365 * DAY_MS);
  const keySet = keySetOn(at.store);
  expect((await keySet.signer()).kid).not.toBe(first);
  expect(await kidsOf(keySet)).toContain(first);
});
