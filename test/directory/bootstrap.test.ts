import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { apiKeys } from '../../src/directory/api-key/api-key.ts';
import { authenticator } from '../../src/directory/api-key/authenticator.ts';
import { demoApiKey, ensureBootstrapKey, ensureDemoOrganization } from '../../src/directory/bootstrap.ts';
import { organizations } from '../../src/directory/organization/organization.ts';
import { loadOrCreateSecret, secrets } from '../../src/platform/crypto/secret.ts';
import { installation, silent } from './support/installation.ts';
import type { Installation } from './support/installation.ts';

let at: Installation;

beforeEach(async () => {
  at = await installation([apiKeys, organizations, secrets]);
});
afterEach(() => at.close());

describe('starting from nothing', () => {
  it('makes the demo organization once, however many processes start at once', async () => {
    const other = await at.another();
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, i) => ensureDemoOrganization({ ...at, store: i % 2 ? other : at.store })),
    );
    expect(new Set(all.map((row) => row.organization_id))).toEqual(new Set(['org_demo_buyer']));
    expect(await at.store.collection(organizations).count({ state: 'active' })).toBe(1);
  });

  it('makes the configured key work, and again at each start', async () => {
    const raw = 'the-key-of-a-fresh-deployment-8c1f2e';
    const first = await ensureBootstrapKey(at, raw);
    expect(await ensureBootstrapKey(at, raw)).toMatchObject({ api_key_id: first.api_key_id });
    const auth = authenticator({ keys: at.store.collection(apiKeys), clock: at.clock, log: silent });
    expect(await auth.authenticate(raw)).toMatchObject({ organization_id: first.organization_id });
    await auth.idle();
  });

  it('gives the demo buyer a key that the same installation gives again, and another does not', async () => {
    const secret = await loadOrCreateSecret(at.store, at.clock, 'installation');
    const { organization_id } = await ensureDemoOrganization(at);
    const key = await ensureBootstrapKey(at, demoApiKey(secret), organization_id);
    expect(key.organization_id).toBe('org_demo_buyer');
    expect(demoApiKey(secret)).toBe(demoApiKey(secret));
    expect(demoApiKey(secret)).not.toBe(demoApiKey(`${secret}x`));
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
