import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  apiKeys,
  createApiKey,
  hashApiKey,
  listApiKeys,
  registerApiKey,
  revokeApiKey,
} from '../../src/directory/api-key/api-key.ts';
import { authenticator } from '../../src/directory/api-key/authenticator.ts';
import { toTimestamp } from '../../src/platform/clock.ts';
import { organizationId } from '../support/ids.ts';
import { installation, silent } from './support/installation.ts';
import type { Installation } from './support/installation.ts';

const OWN = organizationId('org_1');
const OTHER = organizationId('org_2');

let at: Installation;
const keys = () => at.store.collection(apiKeys);
const deps = () => ({ keys: keys(), clock: at.clock, ids: at.ids, security: at.security });

beforeEach(async () => {
  at = await installation([apiKeys]);
});
afterEach(() => at.close());

describe('API keys [R13]', () => {
  it('[R13] are mk_live_ and 256 random bits, and only their SHA-256 is stored', async () => {
    const { raw, key } = await createApiKey(deps(), { organization_id: OWN, name: 'CI' });
    expect(raw).toMatch(/^mk_live_[A-Za-z0-9_-]{43}$/);
    const stored = await keys().get(key.api_key_id);
    expect(stored?.key_hash).toBe(hashApiKey(raw));
    expect(JSON.stringify(stored)).not.toContain(raw.slice(8, 20));
  });

  it('are listed newest first, for their own organization only', async () => {
    const first = await createApiKey(deps(), { organization_id: OWN, name: 'first' });
    at.clock.advance(1000);
    const second = await createApiKey(deps(), { organization_id: OWN, name: 'second' });
    await createApiKey(deps(), { organization_id: OTHER, name: 'other' });
    const listed = await listApiKeys(keys(), OWN);
    expect(listed.map((key) => key.api_key_id)).toEqual([second.key.api_key_id, first.key.api_key_id]);
  });

  it('given by the deployment are stored once however many processes register them at once', async () => {
    const raw = 'a-key-that-a-deployment-made-0123456789';
    const other = await at.another();
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        registerApiKey({ ...deps(), keys: (i % 2 ? other : at.store).collection(apiKeys) }, raw, {
          organization_id: OWN,
          name: 'boot',
        }),
      ),
    );
    expect(new Set(all.map((key) => key.api_key_id)).size).toBe(1);
    expect(await listApiKeys(keys(), OWN)).toHaveLength(1);
  });

  it('given by the deployment are refused when another organization holds them', async () => {
    const raw = 'a-key-that-a-deployment-made-0123456789';
    await registerApiKey(deps(), raw, { organization_id: OWN, name: 'boot' });
    await expect(registerApiKey(deps(), raw, { organization_id: OTHER, name: 'boot' })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
  });

  it.each([
    ['short', 'at least 32 characters', /32 to 256 characters/],
    ['x'.repeat(40), 'one repeated character', /8 different characters/],
    [`${'abcdefgh'.repeat(5)} `, 'a space', /letters, digits/],
    ['abcdefgh'.repeat(33), 'more than 256 characters', /32 to 256 characters/],
  ])('given by the deployment are refused when weak: %s (%s)', async (raw, _why, message) => {
    const refused = registerApiKey(deps(), raw, { organization_id: OWN, name: 'boot' });
    await expect(refused).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(refused).rejects.toThrow(message);
  });
});

describe('authentication by API key', () => {
  it('answers who calls and with which scopes', async () => {
    const { raw, key } = await createApiKey(deps(), {
      organization_id: OWN,
      name: 'CI',
      scopes: ['tasks:read'],
    });
    const auth = authenticator({ ...deps(), log: silent });
    expect(await auth.authenticate(raw)).toEqual({
      organization_id: 'org_1',
      principal_id: key.api_key_id,
      scopes: ['tasks:read'],
    });
    await auth.idle();
  });

  it('answers nobody for an unknown, cut, empty or oversized key', async () => {
    const { raw } = await createApiKey(deps(), { organization_id: OWN, name: 'CI' });
    const auth = authenticator({ ...deps(), log: silent });
    for (const wrong of ['', 'mk_live_', raw.slice(0, -1), `${raw}a`, raw.toUpperCase(), 'k'.repeat(1_000_000)])
      expect(await auth.authenticate(wrong)).toBeUndefined();
  });

  it('[R13] refuses a revoked key within seconds, also where it was just used', async () => {
    const { raw, key } = await createApiKey(deps(), { organization_id: OWN, name: 'CI' });
    const auth = authenticator({ ...deps(), log: silent });
    expect(await auth.authenticate(raw)).toBeDefined();
    await revokeApiKey(deps(), OWN, key.api_key_id);
    at.clock.advance(3000);
    expect(await auth.authenticate(raw)).toBeUndefined();
    await auth.idle();
  });

  it('[R13.expiry] refuses a key that has ended by itself, to the second, also where it was just used', async () => {
    const expires_at = toTimestamp(at.clock.now() + 2000);
    const { raw } = await createApiKey(deps(), { organization_id: OWN, name: 'CI', expires_at });
    const auth = authenticator({ ...deps(), log: silent });
    expect(await auth.authenticate(raw)).toBeDefined();
    at.clock.advance(1999);
    expect(await auth.authenticate(raw)).toBeDefined();
    at.clock.advance(1);
    expect(await auth.authenticate(raw)).toBeUndefined();
    await auth.idle();
  });

  it('[T5] does not let another organization revoke a key, and answers as for an unknown one', async () => {
    const { raw, key } = await createApiKey(deps(), { organization_id: OWN, name: 'CI' });
    const refusal = await revokeApiKey(deps(), OTHER, key.api_key_id).catch((error: unknown) => error);
    const unknown = await revokeApiKey(deps(), OTHER, 'key_none').catch((error: unknown) => error);
    expect(refusal).toEqual(unknown);
    expect(refusal).toMatchObject({ code: 'NOT_FOUND' });
    const auth = authenticator({ ...deps(), log: silent });
    expect(await auth.authenticate(raw)).toBeDefined();
    await auth.idle();
  });

  it('[R13] records the last use, at most once a minute', async () => {
    const { raw, key } = await createApiKey(deps(), { organization_id: OWN, name: 'CI' });
    const auth = authenticator({ ...deps(), log: silent, cacheMs: 0 });
    const revisions: (number | undefined)[] = [];
    for (const ms of [0, 30_000, 29_999, 1]) {
      at.clock.advance(ms);
      await auth.authenticate(raw);
      await auth.idle();
      revisions.push((await keys().get(key.api_key_id))?.revision);
    }
    expect(revisions).toEqual([2, 2, 2, 3]);
    expect((await keys().get(key.api_key_id))?.last_used_at).toBe(toTimestamp(at.clock.now()));
  });

  it('remembers no more keys than it may, and still knows the forgotten ones', async () => {
    const auth = authenticator({ ...deps(), log: silent, cacheSize: 2 });
    const raws = await Promise.all(
      Array.from(
        { length: 5 },
        async (_, i) => (await createApiKey(deps(), { organization_id: organizationId(`org_${i}`), name: 'k' })).raw,
      ),
    );
    for (const raw of [...raws, ...raws]) expect(await auth.authenticate(raw)).toBeDefined();
    await auth.idle();
  });
});
