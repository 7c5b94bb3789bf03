import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiKeys } from '../../src/directory/api-key/api-key.ts';
import { startRegistry } from './support/registry.ts';
import type { Registry } from './support/registry.ts';

let at: Registry;
beforeAll(async () => {
  at = await startRegistry('sqlite');
});
afterAll(() => at.close());

const bearer = (credential: string) => ({ Authorization: `Bearer ${credential}` });

/** An organization and its owner's token. */
async function owned() {
  const domain = `k-${randomUUID()}.example`;
  const token = await at.token({ sub: randomUUID(), email: `o@${domain}` });
  const made = await at.post('/api/organizations', { organization_name: 'Keys' }).set(bearer(token));
  return { token, domain, id: (made.body as { organization: { id: string } }).organization.id };
}

describe('/api/organizations/{orgId}/api-keys', () => {
  it('[R13] [C.auth.api-keys] shows a key once, stores only its hash, and lets it call until it is revoked', async () => {
    const { token, id, domain } = await owned();
    const made = await at
      .post(`/api/organizations/${id}/api-keys`, { name: 'CI', scopes: ['registry:write'] })
      .set(bearer(token));
    expect(made.status).toBe(201);
    expect(made.headers['cache-control']).toBe('no-store');
    const { key, id: keyId } = made.body as { key: string; id: string };
    expect(key).toMatch(/^mk_live_[\w-]{43}$/);
    expect(JSON.stringify(await at.store.collection(apiKeys).get(keyId))).not.toContain(key);

    const list = () => at.get(`/api/organizations/${id}/api-keys`).set(bearer(token));
    expect((await list()).body).toMatchObject({ api_keys: [{ id: keyId, name: 'CI', scopes: ['registry:write'] }] });
    expect((await list()).text).not.toContain(key);

    const register = () => at.post('/api/me/agents', { url: `https://${domain}`, type: 'sales' }).set(bearer(key));
    expect((await register()).status).toBe(201);
    const revoke = () => at.send('delete', `/api/organizations/${id}/api-keys/${keyId}`).set(bearer(token));
    const first = await revoke();
    expect(first.status).toBe(200);
    expect((await revoke()).body).toEqual(first.body);
    at.clock.advance(5000);
    expect((await register()).status).toBe(401);
  });

  it('[R13] [T5] is for owners: strangers, keys and other owners get nothing', async () => {
    const mine = await owned();
    const other = await owned();
    const made = await at.post(`/api/organizations/${mine.id}/api-keys`, { name: 'K' }).set(bearer(mine.token));
    const { key, id: keyId } = made.body as { key: string; id: string };
    const path = `/api/organizations/${mine.id}/api-keys`;
    for (const credential of [other.token, key]) {
      expect((await at.get(path).set(bearer(credential))).status).toBe(403);
      expect((await at.post(path, { name: 'X' }).set(bearer(credential))).status).toBe(403);
      expect((await at.send('delete', `${path}/${keyId}`).set(bearer(credential))).status).toBe(403);
    }
    expect((await at.get(path)).status).toBe(401);
    const elsewhere = `/api/organizations/${other.id}/api-keys/${keyId}`;
    expect((await at.send('delete', elsewhere).set(bearer(other.token))).status).toBe(404);
  });

  it('[R13.expiry] has the scopes that were asked for, only those that read without any, and an end where one was set', async () => {
    const { token, id } = await owned();
    const post = (body: object) => at.post(`/api/organizations/${id}/api-keys`, body).set(bearer(token));
    const plain = (await post({ name: 'K' })).body as { scopes: string[]; expires_at: unknown };
    expect(plain).toMatchObject({ scopes: ['tasks:read', 'registry:read', 'webhooks:read'], expires_at: null });
    const asked = { name: 'K', scopes: ['tasks:write'], expires_at: new Date(at.clock.now() + 60_000).toISOString() };
    const made = await post(asked);
    expect(made.body).toMatchObject(asked);
    const past = await post({ name: 'K', expires_at: new Date(at.clock.now() - 1).toISOString() });
    expect(past.status).toBe(400);
    expect(past.body).toMatchObject({ field: 'expires_at' });
    const misspelt = await post({ name: 'K', expires: asked.expires_at });
    expect([misspelt.status, misspelt.body]).toMatchObject([400, { field: 'expires' }]);
    expect((await post({ name: 'K', expires_at: 'tomorrow' })).status).toBe(400);
  });

  it('[R13.reroll] makes a key anew for its owner, beside the former one for as long as they say', async () => {
    const { token, id } = await owned();
    const path = `/api/organizations/${id}/api-keys`;
    const old = (await at.post(path, { name: 'CI', scopes: ['registry:read'] }).set(bearer(token))).body as {
      id: string;
      key: string;
    };
    const made = await at.post(`${path}/${old.id}/reroll`, { overlap_days: 2 }).set(bearer(token));
    expect(made.status).toBe(201);
    expect(made.headers['cache-control']).toBe('no-store');
    const { key, former } = made.body as { key: string; former: { expires_at: string } };
    expect(made.body).toMatchObject({
      ...{ name: 'CI', scopes: ['registry:read'], expires_at: null, replaced_by: null },
      former: { id: old.id, replaced_by: (made.body as { id: string }).id },
    });
    expect(former.expires_at).toBe(new Date(at.clock.now() + 2 * 86_400_000).toISOString());
    const call = async (one: string) => (await at.get('/api/me/agents').set(bearer(one))).status;
    expect([await call(old.key), await call(key)]).toEqual([200, 200]);
    const refused = await at.post(`${path}/${old.id}/reroll`, { overlap_days: 31 }).set(bearer(token));
    expect([refused.status, refused.body]).toMatchObject([400, { field: 'overlap_days' }]);
    at.clock.advance(2 * 86_400_000);
    expect([await call(old.key), await call(key)]).toEqual([401, 200]);
  });

  it("[T5] says of an organization there is not what it says of another's", async () => {
    const [mine, other] = [await owned(), await owned()];
    for (const path of ['api-keys', 'join-requests', 'profile']) {
      const [theirs, none] = await Promise.all(
        [other.id, `org_${randomUUID()}`].map((id) =>
          at.get(`/api/organizations/${id}/${path}`).set(bearer(mine.token)),
        ),
      );
      expect(theirs?.status, path).toBe(403);
      expect({ status: none?.status, body: none?.body as unknown }, path).toEqual({
        status: theirs?.status,
        body: theirs?.body as unknown,
      });
    }
  });

  it('refuses scopes there are not, and names with markup', async () => {
    const { token, id } = await owned();
    const post = (body: object) => at.post(`/api/organizations/${id}/api-keys`, body).set(bearer(token));
    expect((await post({ name: 'K', scopes: ['admin'] })).status).toBe(400);
    expect((await post({ name: '<b>' })).status).toBe(400);
    expect((await post({ name: 'K', scopes: [] })).status).toBe(400);
  });
});

describe('/api/organizations/{orgId}/profile', () => {
  it('[R5] makes the member card public and private again, for who manages the organization', async () => {
    const { token, id, domain } = await owned();
    const patch = (body: object, credential = token) =>
      at.send('patch', `/api/organizations/${id}/profile`, body).set(bearer(credential));
    const card = async () =>
      ((await at.get(`/api/registry/operator?domain=${domain}`)).body as { member: object }).member;
    const made = await at.get(`/api/organizations/${id}/profile`).set(bearer(token));
    expect(made.body).toMatchObject({ organization_id: id, is_public: false });
    expect((await patch({ is_public: true, display_name: 'Café Group' })).body).toMatchObject({
      display_name: 'Café Group',
      is_public: true,
    });
    expect(await card()).toMatchObject({ display_name: 'Café Group', is_founding_member: false });
    await patch({ is_public: false });
    expect(await card()).not.toHaveProperty('is_founding_member');
    const stranger = await at.token({ sub: randomUUID(), email: `x@${randomUUID()}.example` });
    expect((await patch({ is_public: true }, stranger)).status).toBe(403);
  });
});
