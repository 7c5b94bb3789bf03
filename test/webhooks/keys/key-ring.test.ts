import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createKeyRing, PUBLISH_AHEAD_MS } from '../../../src/webhooks/keys/key-ring.ts';
import type { KeyRing } from '../../../src/webhooks/keys/key-ring.ts';
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

/** Another process's ring on the same store. */
function anotherRing(changes: Partial<Parameters<typeof createKeyRing>[0]> = {}): KeyRing {
  const { names, log, sealer: seals } = sender.dependencies;
  const keys = sender.store.collection(SigningKeys);
  return createKeyRing({ keys, sealer: seals, names, clock: sender.clock, log, ...changes });
}

const kidsOf = (keys: readonly { kid: string }[]) => keys.map(({ kid }) => kid);

describe('the first key', () => {
  it('is one and the same for processes that start at once, Ed25519, and works', async () => {
    const rings = Array.from({ length: 8 }, () => anotherRing());
    const signers = await Promise.all(rings.map((ring) => ring.signer()));
    expect(new Set(kidsOf(signers)).size).toBe(1);
    expect(signers[0]?.alg).toBe('ed25519');
    expect(signers.every(isWorkingKey)).toBe(true);
  });

  it('is published with its purpose and without its private half, which the store holds sealed', async () => {
    const { keys } = await sender.webhooks.jwks();
    expect(keys).toEqual([
      {
        kty: 'OKP',
        crv: 'Ed25519',
        alg: 'EdDSA',
        use: 'sig',
        key_ops: ['verify'],
        proto_use: 'request-signing',
        kid: expect.any(String) as string,
        x: expect.any(String) as string,
      },
    ]);
    const row = await sender.store.collection(SigningKeys).get('000001');
    expect(JSON.stringify(row)).not.toContain('"d"');
    expect(sender.logged.join('')).not.toContain('"d"');
  });

  it('opens with no other sealing secret', async () => {
    await anotherRing().signer();
    const ring = anotherRing({ sealer: sealer('another sealing secret of the tests') });
    await expect(ring.signer()).rejects.toThrow('not configured');
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
    const ring = anotherRing();
    const old = (await ring.signer()).kid;
    const next = await ring.rotate();
    expect(kidsOf(await ring.published())).toEqual([old, next]);
    expect((await ring.signer()).kid).toBe(old);
    sender.clock.advance(PUBLISH_AHEAD_MS - 1);
    expect((await ring.signer()).kid).toBe(old);
    sender.clock.advance(1);
    expect((await ring.signer()).kid).toBe(next);
    sender.clock.advance(5 * MINUTE);
    expect(kidsOf(await ring.published())).toEqual([old, next]);
    sender.clock.advance(2 * MINUTE);
    expect(kidsOf(await ring.published())).toEqual([next]);
  });

  it('is seen by other processes before the new key signs', async () => {
    const [one, other] = [anotherRing(), anotherRing()];
    await other.signer();
    const next = await one.rotate();
    sender.clock.advance(30_000);
    expect(kidsOf(await other.published())).toContain(next);
    sender.clock.advance(PUBLISH_AHEAD_MS);
    expect((await other.signer()).kid).toBe(next);
  });

  it('by two processes at once adds one key', async () => {
    const rings = [anotherRing(), anotherRing()];
    await Promise.all(rings.map((ring) => ring.signer()));
    const [one, two] = await Promise.all(rings.map((ring) => ring.rotate({ aheadMs: 0 })));
    expect(one).toBe(two);
  });

  it('may change the algorithm', async () => {
    const ring = anotherRing();
    await ring.rotate({ aheadMs: 0, alg: 'ecdsa-p256-sha256' });
    expect(await ring.signer()).toMatchObject({ alg: 'ecdsa-p256-sha256', publicJwk: { alg: 'ES256' } });
  });
});

describe('revocation', () => {
  it('takes the signing key out at once: another signs, it is unpublished and listed', async () => {
    const ring = anotherRing();
    const { kid } = await ring.signer();
    expect(await ring.revoke(kid)).toBe(true);
    expect((await ring.signer()).kid).not.toBe(kid);
    expect(kidsOf(await ring.published())).not.toContain(kid);
    expect(await ring.revoked()).toContain(kid);
  });

  it('brings a key that waits for its time forward', async () => {
    const ring = anotherRing();
    const { kid } = await ring.signer();
    const next = await ring.rotate();
    await ring.revoke(kid);
    expect((await ring.signer()).kid).toBe(next);
  });

  it('of an unknown key is answered as such', async () => {
    expect(await anotherRing().revoke('nobody')).toBe(false);
  });
});

describe('keys over time', () => {
  it('are followed by a new one when they have signed for their days', async () => {
    const ring = anotherRing({ rotateAfterDays: 30 });
    const { kid } = await ring.signer();
    await ring.rotateWhenDue();
    expect((await ring.published()).length).toBe(1);
    sender.clock.advance(30 * 24 * 60 * MINUTE);
    await ring.rotateWhenDue();
    await ring.rotateWhenDue();
    expect(kidsOf(await ring.published())).toHaveLength(2);
    sender.clock.advance(PUBLISH_AHEAD_MS);
    expect((await ring.signer()).kid).not.toBe(kid);
  });

  it('sealed with an older secret are sealed anew, so that the older can be given up', async () => {
    const { kid } = await anotherRing().signer();
    const [rotated, only] = [
      sealer('the new sealing secret of the tests', [SECRET]),
      'the new sealing secret of the tests',
    ];
    const rows = sender.store.collection(SigningKeys);
    expect((await anotherRing({ sealer: rotated }).signer()).kid).toBe(kid);
    expect((await anotherRing({ sealer: sealer(only) }).signer()).kid).toBe(kid);
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
    const ring = anotherRing({
      configured: [jwkOf('ecdsa-p256-sha256', 'webhooks-1'), jwkOf('ed25519', 'webhooks-2')],
    });
    expect(await ring.signer()).toMatchObject({ kid: 'webhooks-1', alg: 'ecdsa-p256-sha256' });
    expect(kidsOf(await ring.published())).toEqual(['webhooks-1', 'webhooks-2']);
  });

  it('are rotated by their owner alone', async () => {
    const ring = anotherRing({ configured: [jwkOf('ed25519', 'own')] });
    await expect(ring.rotate()).rejects.toMatchObject({ code: 'INVALID_STATE' });
    await expect(ring.revoke('own')).rejects.toMatchObject({ code: 'INVALID_STATE' });
    await ring.rotateWhenDue();
  });

  it('that come twice or are not private keys are refused at start, with nothing of the key in the message', () => {
    const jwk = jwkOf('ed25519', 'own');
    expect(() => anotherRing({ configured: [jwk, jwk] })).toThrow('same kid');
    const { d: _private, ...publicHalf } = jwk;
    expect(() => anotherRing({ configured: [publicHalf] })).toThrow(TypeError);
  });
});

it('revoked keys are listed in the document that receivers poll', async () => {
  const { kid } = await sender.webhooks.keys.signer();
  await sender.webhooks.keys.revoke(kid);
  const { revoked_kids, next_update } = await sender.webhooks.revocations();
  expect(revoked_kids).toContain(kid);
  expect(Date.parse(next_update)).toBe(sender.clock.now() + 300_000);
});
