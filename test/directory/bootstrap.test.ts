import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { apiKeys, createApiKey } from '../../src/directory/api-key/api-key.ts';
import { authenticator } from '../../src/directory/api-key/authenticator.ts';
import {
  ensureBootstrapKey,
  ensureDemoKey,
  ensureDemoOrganization,
  ensureDemoOwner,
  hasOwnBuyer,
  retireDemoKey,
} from '../../src/directory/bootstrap.ts';
import { memberships } from '../../src/directory/membership/membership.ts';
import { newOrganization, organizations } from '../../src/directory/organization/organization.ts';
import { toTimestamp } from '../../src/platform/clock.ts';
import { loadOrCreateSecret, secrets } from '../../src/platform/crypto/secret.ts';
import { OrganizationId } from '../../src/platform/organization-id.ts';
import { installation, silent } from './support/installation.ts';
import type { Installation } from './support/installation.ts';

let at: Installation;

beforeEach(async () => {
  at = await installation([apiKeys, memberships, organizations, secrets]);
});
afterEach(() => at.close());

/** Whose key this is now, by a process that has remembered nothing. */
async function callerOf(key: string): Promise<string | undefined> {
  const auth = authenticator({
    keys: at.store.collection(apiKeys),
    clock: at.clock,
    log: silent,
    security: at.security,
  });
  const caller = await auth.authenticate(key);
  await auth.idle();
  return caller?.organization_id;
}

describe('starting from nothing', () => {
  it('makes the demo organization once, however many processes start at once', async () => {
    const other = await at.another();
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, i) => ensureDemoOrganization({ ...at, store: i % 2 ? other : at.store })),
    );
    expect(new Set(all.map((row) => row.organization_id))).toEqual(new Set(['org_demo_buyer']));
    expect(await at.store.collection(organizations).count({ state: 'active' })).toBe(1);
  });

  it('has a buyer of its own once one besides the demo’s has a key: what the seed names has none', async () => {
    const secret = await loadOrCreateSecret(at.store, at.clock, 'installation');
    await ensureDemoKey(at, secret);
    await ensureDemoOwner(at, 'user_of_the_demo');
    const organization_id = OrganizationId.parse('org_seeded');
    const created_at = toTimestamp(at.clock.now());
    const seeded = newOrganization({ organization_id, name: 'Seeded', state: 'active', created_at });
    await at.store.collection(organizations).insert(seeded);
    expect(await hasOwnBuyer(at.store)).toBe(false);
    await ensureBootstrapKey(at, 'the-key-of-a-fresh-deployment-8c1f2e');
    expect(await hasOwnBuyer(at.store)).toBe(true);
  });

  it('makes the configured key work, and again at each start', async () => {
    const raw = 'the-key-of-a-fresh-deployment-8c1f2e';
    const first = await ensureBootstrapKey(at, raw);
    expect(await ensureBootstrapKey(at, raw)).toMatchObject({ api_key_id: first.api_key_id });
    const auth = authenticator({
      keys: at.store.collection(apiKeys),
      clock: at.clock,
      log: silent,
      security: at.security,
    });
    expect(await auth.authenticate(raw)).toMatchObject({ organization_id: first.organization_id });
    await auth.idle();
  });

  it('gives the demo buyer a key that the same installation gives again, and another does not', async () => {
    const secret = await loadOrCreateSecret(at.store, at.clock, 'installation');
    const { key, isNew } = await ensureDemoKey(at, secret);
    expect([await callerOf(key), isNew]).toEqual(['org_demo_buyer', true]);
    expect(await ensureDemoKey(at, secret)).toEqual({ key, isNew: false });
    expect((await ensureDemoKey(at, `${secret}x`)).key).not.toBe(key);
  });

  it("[S5.slot] a new value of BOOTSTRAP_API_KEY revokes the former one, also one of 0.1.0's, and its return revokes nothing", async () => {
    const [one, two] = ['the-first-value-of-the-key-8c1f2e', 'the-second-value-of-the-key-5d7a0b'];
    const first = await ensureBootstrapKey(at, one);
    await at.store.collection(apiKeys).update(first.api_key_id, ({ slot: _none, ...row }) => row);
    at.clock.advance(1);
    await ensureBootstrapKey(at, two);
    expect([await callerOf(one), await callerOf(two)]).toEqual([undefined, 'org_first']);
    // A process that was not told yet starts with the former value.
    expect((await ensureBootstrapKey(at, one)).revoked_at).not.toBeNull();
    expect([await callerOf(one), await callerOf(two)]).toEqual([undefined, 'org_first']);
  });

  it('[S5.slot] a key that people made is in no slot', async () => {
    const first = await ensureBootstrapKey(at, 'the-first-value-of-the-key-8c1f2e');
    const { organization_id } = first;
    const own = await createApiKey({ ...at, keys: at.store.collection(apiKeys) }, { organization_id, name: 'ours' });
    at.clock.advance(1);
    await ensureBootstrapKey(at, 'the-second-value-of-the-key-5d7a0b');
    expect(await callerOf(own.raw)).toBe('org_first');
  });

  it('[S5.slot] the demo key ends where there is no demo any more, and the next demo has another', async () => {
    const secret = await loadOrCreateSecret(at.store, at.clock, 'installation');
    const { key } = await ensureDemoKey(at, secret);
    at.clock.advance(1);
    expect([await retireDemoKey(at), await retireDemoKey(at)]).toEqual([1, 0]);
    expect(await callerOf(key)).toBeUndefined();
    const { key: next } = await ensureDemoKey(at, secret);
    expect(next).not.toBe(key);
    expect([await callerOf(key), await callerOf(next)]).toEqual([undefined, 'org_demo_buyer']);
    expect(await ensureDemoKey(at, secret)).toEqual({ key: next, isNew: false });
  });

  it('makes the installation one secret, however many processes start at once', async () => {
    const other = await at.another();
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, i) => loadOrCreateSecret(i % 2 ? other : at.store, at.clock, 'installation')),
    );
    expect(new Set(all).size).toBe(1);
    expect(all[0]).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });
});
