import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compose } from '../../../src/main/wiring/compose.ts';
import { ConfigError } from '../../../src/main/config/config-error.ts';
import { readConfig } from '../../../src/main/config/config.ts';
import { operatorKey } from '../../../src/main/wiring/operator-routes.ts';
import { readKeySetOptions } from '../../../src/main/config/signing-keys.ts';
import { sealer } from '../../../src/platform/crypto/sealer.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import { describeOnStores } from '../../support/stores.ts';

const ed = generateKeyPairSync('ed25519').privateKey;
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const pem = (key: typeof ed) => key.export({ type: 'pkcs8', format: 'pem' }).toString();
const sec1 = p256.export({ type: 'sec1', format: 'pem' }).toString();
const jwk = (key: typeof ed, kid: string) => ({ ...key.export({ format: 'jwk' }), kid });

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'media-buy-agent-keys-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const read = (env: Record<string, string>) => readKeySetOptions(readConfig(env, { allowLoopback: false }).signing);
async function inFile(text: string): Promise<Record<string, string>> {
  const file = join(dir, 'keys');
  await writeFile(file, text);
  return { SIGNING_KEYS_FILE: file };
}
const curves = async (env: Record<string, string>) => (await read(env)).configured?.map(({ crv }) => crv);

describe('signing keys that their owner keeps', () => {
  it.each([
    ['a JWK', JSON.stringify(jwk(ed, 'k')), ['Ed25519']],
    ['a list of JWKs', JSON.stringify([jwk(p256, 'k'), jwk(ed, 'l')]), ['P-256', 'Ed25519']],
    ['a key set', JSON.stringify({ keys: [jwk(p256, 'k')] }), ['P-256']],
    ['PKCS #8', pem(ed), ['Ed25519']],
    ['SEC 1', sec1, ['P-256']],
    ['two blocks of PEM', pem(p256) + pem(ed), ['P-256', 'Ed25519']],
  ])('may be %s, in a file or as the text of a setting', async (_what, text, expected) => {
    expect(await curves(await inFile(text))).toEqual(expected);
    expect(await curves({ SIGNING_KEYS: text })).toEqual(expected);
    expect(await curves({ SIGNING_KEYS: text.replaceAll('\n', '\\n') })).toEqual(expected);
  });

  it('are none unless they are set, and the agent makes its own', async () => {
    expect(await read({})).toEqual({
      ...{ alg: 'ed25519', rotateAfterDays: 90, revokedKids: [], configured: [], webhooksOnly: [] },
    });
    const set = { SIGNING_KEY_ALG: 'ecdsa-p256-sha256', SIGNING_KEY_DAYS: '30', REVOKED_KIDS: 'a,b' };
    expect(await read(set)).toMatchObject({ alg: 'ecdsa-p256-sha256', rotateAfterDays: 30, revokedKids: ['a', 'b'] });
  });

  const { d = '', ...half } = jwk(ed, 'half');
  it.each([
    ['no key at all', 'not a key', 'SIGNING_KEYS must hold private keys'],
    ['an RSA key', pem(rsa), 'SIGNING_KEYS must hold private keys'],
    ['a public half', JSON.stringify(half), 'SIGNING_KEYS must hold private keys'],
    [
      'halves of two keys',
      JSON.stringify({ ...jwk(generateKeyPairSync('ed25519').privateKey, 'k'), d }),
      'SIGNING_KEYS must hold private keys',
    ],
    ['one key twice', JSON.stringify([jwk(ed, 'k'), jwk(ed, 'k')]), 'twice'],
  ])('are refused at start when they are %s, with nothing of it in the message', async (_what, text, words) => {
    const refusal = (await read({ SIGNING_KEYS: text }).catch((error: unknown) => error)) as ConfigError;
    expect(refusal).toBeInstanceOf(ConfigError);
    expect(refusal.message).toContain(words);
    for (const secret of [d, text.slice(-60, -40) || text]) expect(refusal.message).not.toContain(secret);
  });

  it('are refused when one of them would sign though it is revoked, and taken when it only stands by', async () => {
    const keys = JSON.stringify([jwk(ed, 'leaked'), jwk(p256, 'next')]);
    const signing = { SIGNING_KEYS: keys, REVOKED_KIDS: 'leaked' };
    await expect(read(signing)).rejects.toThrow('REVOKED_KIDS names leaked, the first of SIGNING_KEYS');
    const webhooks = { WEBHOOK_SIGNING_KEYS: keys, REVOKED_KIDS: 'leaked' };
    await expect(read(webhooks)).rejects.toThrow('the first of WEBHOOK_SIGNING_KEYS');
    expect(await curves({ SIGNING_KEYS: keys, REVOKED_KIDS: 'next' })).toEqual(['Ed25519', 'P-256']);
  });

  it('are refused when they are set twice, or their file cannot be read', async () => {
    const both = { ...(await inFile(pem(ed))), SIGNING_KEYS: pem(ed) };
    await expect(read(both)).rejects.toThrow('SIGNING_KEYS and SIGNING_KEYS_FILE exclude each other');
    await expect(read({ WEBHOOK_SIGNING_KEYS_FILE: join(dir, 'none') })).rejects.toThrow(/cannot be read: .*none/);
    await expect(read({ SIGNING_KEYS: pem(ed), WEBHOOK_SIGNING_KEYS: pem(ed) })).rejects.toThrow('twice');
  });
});

describeOnStores('an agent on %s', (store) => {
  it('[C.webhook.signatures.1] signs with the keys of its settings, and publishes all of them', async () => {
    const env = { ...(await inFile(pem(p256))), WEBHOOK_SIGNING_KEYS: JSON.stringify(jwk(ed, 'webhooks-1')) };
    const agent = await startTestAgent(store, { env, working: false });
    const answer = await fetch(`${agent.baseUrl}/.well-known/jwks.json`);
    const { keys } = (await answer.json()) as { keys: { kid: string; alg: string }[] };
    const of30 = { adcp_use: 'webhook-signing' };
    expect(keys).toMatchObject([{ alg: 'ES256' }, { alg: 'EdDSA', kid: 'webhooks-1' }, of30]);
    expect((await agent.core.webhooks.keys.webhookSigner()).kid).toBe('webhooks-1');
    expect((await agent.core.webhooks.keys.signer()).kid).toBe(keys[0]?.kid);
    await agent.stop();
  });

  it('[W4] opens what former secrets sealed, its own first one too, and seals with the new one', async () => {
    const first = await startTestAgent(store, { working: false });
    const { core } = first;
    const key = await operatorKey(core);
    const sealed = core.sealer.seal('credentials', 'here');
    // On MongoDB the first one was named, too.
    const named = first.env['SECRET_KEY'] === undefined ? [] : [first.env['SECRET_KEY']];
    const config = readConfig(
      {
        ...first.env,
        SECRET_KEY: 'the newest secret of this installation',
        PREVIOUS_SECRET_KEYS: ['a secret of the time between the two', ...named].join(','),
      },
      { allowLoopback: true },
    );
    const second = await compose({ config, baseUrl: first.baseUrl, log: core.log });
    expect(second.sealer.open(sealed, 'here')).toBe('credentials');
    expect(second.sealer.keyId).not.toBe(core.sealer.keyId);
    expect(await operatorKey({ ...core, sealer: second.sealer })).toBe(key);
    expect((await second.webhooks.keys.signer()).kid).toBe((await core.webhooks.keys.signer()).kid);
    const between = sealer('a secret of the time between the two').seal('x');
    expect(second.sealer.open(between)).toBe('x');
    await second.close();
    await first.stop();
  });
});
