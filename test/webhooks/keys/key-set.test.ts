import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createKeySet, PUBLISH_AHEAD_MS } from '../../../src/webhooks/keys/key-set.ts';
import type { KeySet } from '../../../src/webhooks/keys/key-set.ts';
import { SigningKeys } from '../../../src/webhooks/keys/signing-key-row.ts';
import { sealer } from '../../../src/platform/crypto/sealer.ts';
import { generateSigningKey, isWorkingKey, signingKeyToJwk } from '../../../src/webhooks/signing/signing-key.ts';
import { NAMES, openSender, SECRET } from '../support/open-sender.ts';
import type { Sender } from '../support/open-sender.ts';

const MINUTE = 60_000;
let sender: Sender;
beforeEach(async () => {
  sender = await openSender();
});
afterEach(() => sender.close());

/** Another process's keySet on the same store. */
function anotherSet(changes: Partial<Parameters<typeof createKeySet>[0]> = {}): KeySet {
  const { names, log, sealer: seals } = sender.dependencies;
  const keys = sender.store.collection(SigningKeys);
  return createKeySet({ keys, sealer: seals, names, clock: sender.clock, log, ...changes });
}

const kidsOf = (keys: readonly { kid: string }[]) => keys.map(({ kid }) => kid);

describe('the first key', () => {
  it('is one and the same for processes that start at once, Ed25519, and works', async () => {
    const keySets = Array.from({ length: 8 }, () => anotherSet());
    const signers = await Promise.all(keySets.map((keySet) => keySet.signer()));
    expect(new Set(kidsOf(signers)).size).toBe(1);
    expect(signers[0]?.alg).toBe('ed25519');
    expect(signers.every(isWorkingKey)).toBe(true);
  });

  it('is published with its purpose and without its private half, which the store holds sealed', async () => {
    const { keys } = await sender.webhooks.jwks();
    const [own, of30, ...none] = keys;
    expect([of30?.['proto_use'], none]).toEqual(['webhook-signing', []]);
    expect(own).toEqual({
      kty: 'OKP',
      crv: 'Ed25519',
      alg: 'EdDSA',
      use: 'sig',
      key_ops: ['verify'],
      proto_use: 'request-signing',
      adcp_use: 'request-signing',
      kid: expect.any(String) as string,
      x: expect.any(String) as string,
    });
    const row = await sender.store.collection(SigningKeys).get('000001');
    expect(JSON.stringify(row)).not.toContain('"d"');
    expect(sender.logged.join('')).not.toContain('"d"');
  });

  it('opens with no other sealing secret', async () => {
    await anotherSet().signer();
    const keySet = anotherSet({ sealer: sealer('another sealing secret of the tests') });
    await expect(keySet.signer()).rejects.toThrow('not configured');
  });

  it('is found through brand.json', () => {
    expect(sender.webhooks.brand()).toMatchObject({
      agents: [
        {
          type: 'sales',
          id: 'sales',
          url: 'https://seller.example',
          jwks_uri: 'https://seller.example/.well-known/jwks.json',
        },
      ],
    });
  });
});

describe('rotation', () => {
  it('publishes the new key before it signs, and the old one until its last signature has expired', async () => {
    const keySet = anotherSet();
    const old = (await keySet.signer()).kid;
    const next = await keySet.rotate();
    expect(kidsOf(await keySet.published())).toEqual([old, next]);
    expect((await keySet.signer()).kid).toBe(old);
    sender.clock.advance(PUBLISH_AHEAD_MS - 1);
    expect((await keySet.signer()).kid).toBe(old);
    sender.clock.advance(1);
    expect((await keySet.signer()).kid).toBe(next);
    sender.clock.advance(5 * MINUTE);
    expect(kidsOf(await keySet.published())).toEqual([old, next]);
    sender.clock.advance(2 * MINUTE);
    expect(kidsOf(await keySet.published())).toEqual([next]);
  });

  it('is seen by other processes before the new key signs', async () => {
    const [one, other] = [anotherSet(), anotherSet()];
    await other.signer();
    const next = await one.rotate();
    sender.clock.advance(30_000);
    expect(kidsOf(await other.published())).toContain(next);
    sender.clock.advance(PUBLISH_AHEAD_MS);
    expect((await other.signer()).kid).toBe(next);
  });

  it('by two processes at once adds one key', async () => {
    const keySets = [anotherSet(), anotherSet()];
    await Promise.all(keySets.map((keySet) => keySet.signer()));
    const [one, two] = await Promise.all(keySets.map((keySet) => keySet.rotate({ aheadMs: 0 })));
    expect(one).toBe(two);
  });

  it('may change the algorithm', async () => {
    const keySet = anotherSet();
    await keySet.rotate({ aheadMs: 0, alg: 'ecdsa-p256-sha256' });
    expect(await keySet.signer()).toMatchObject({ alg: 'ecdsa-p256-sha256', publicJwk: { alg: 'ES256' } });
  });
});

describe('revocation', () => {
  it('takes the signing key out at once: another signs, it is unpublished and listed', async () => {
    const keySet = anotherSet();
    const { kid } = await keySet.signer();
    expect(await keySet.revoke(kid)).toBe(true);
    expect((await keySet.signer()).kid).not.toBe(kid);
    expect(kidsOf(await keySet.published())).not.toContain(kid);
    expect(await keySet.revoked()).toContain(kid);
  });

  it('brings a key that waits for its time forward', async () => {
    const keySet = anotherSet();
    const { kid } = await keySet.signer();
    const next = await keySet.rotate();
    await keySet.revoke(kid);
    expect((await keySet.signer()).kid).toBe(next);
  });

  it('of an unknown key is answered as such', async () => {
    expect(await anotherSet().revoke('nobody')).toBe(false);
  });
});

describe('keys over time', () => {
  it('are followed by a new one when they have signed for their days', async () => {
    const keySet = anotherSet({ rotateAfterDays: 30 });
    const { kid } = await keySet.signer();
    await keySet.rotateWhenDue();
    expect((await keySet.published()).length).toBe(1);
    sender.clock.advance(30 * 24 * 60 * MINUTE);
    await keySet.rotateWhenDue();
    await keySet.rotateWhenDue();
    expect(kidsOf(await keySet.published())).toHaveLength(2);
    sender.clock.advance(PUBLISH_AHEAD_MS);
    expect((await keySet.signer()).kid).not.toBe(kid);
  });

  it('sealed with an older secret are sealed anew, so that the older can be given up', async () => {
    const { kid } = await anotherSet().signer();
    const [rotated, only] = [
      sealer('the new sealing secret of the tests', [SECRET]),
      'the new sealing secret of the tests',
    ];
    const rows = sender.store.collection(SigningKeys);
    expect((await anotherSet({ sealer: rotated }).signer()).kid).toBe(kid);
    expect((await anotherSet({ sealer: sealer(only) }).signer()).kid).toBe(kid);
    const { rows: stored } = await rows.find({ where: {} });
    for (const { sealed_jwk, revoked_at } of stored) {
      if (revoked_at === null) expect(sealed_jwk).toContain(rotated.keyId);
    }
  });
});

describe('configured keys', () => {
  const jwkOf = (alg: 'ed25519' | 'ecdsa-p256-sha256', kid: string) =>
    signingKeyToJwk(generateSigningKey(alg, { names: NAMES, kid }));

  it('are used instead of stored ones: the first signs, all are published', async () => {
    const keySet = anotherSet({
      configured: [jwkOf('ecdsa-p256-sha256', 'webhooks-1'), jwkOf('ed25519', 'webhooks-2')],
    });
    expect(await keySet.signer()).toMatchObject({ kid: 'webhooks-1', alg: 'ecdsa-p256-sha256' });
    expect(kidsOf(await keySet.published())).toEqual(['webhooks-1', 'webhooks-2']);
  });

  it('are rotated by their owner alone', async () => {
    const keySet = anotherSet({ configured: [jwkOf('ed25519', 'own')] });
    await expect(keySet.rotate()).rejects.toMatchObject({ code: 'INVALID_STATE' });
    await expect(keySet.revoke('own')).rejects.toMatchObject({ code: 'INVALID_STATE' });
    await keySet.rotateWhenDue();
  });

  it('that come twice or are not private keys are refused at start, with nothing of the key in the message', () => {
    const jwk = jwkOf('ed25519', 'own');
    expect(() => anotherSet({ configured: [jwk, jwk] })).toThrow('same kid');
    const { d: _private, ...publicHalf } = jwk;
    expect(() => anotherSet({ configured: [publicHalf] })).toThrow(TypeError);
  });
});

it('revoked keys are listed in the document that receivers poll', async () => {
  const { kid } = await sender.webhooks.keys.signer();
  await sender.webhooks.keys.revoke(kid);
  const { revoked_kids, next_update } = await sender.webhooks.revocations();
  expect(revoked_kids).toContain(kid);
  expect(Date.parse(next_update)).toBe(sender.clock.now() + 300_000);
});
