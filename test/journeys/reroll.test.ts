import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { OperatorActions } from '../../src/admin/operator/actions/action.ts';
import { apiKeys, revokeApiKey } from '../../src/directory/api-key/api-key.ts';
import type { ApiKey } from '../../src/directory/api-key/api-key.ts';
import { rerollApiKey } from '../../src/directory/api-key/reroll.ts';
import { DAY_MS } from '../../src/platform/hours.ts';
import { formsIn, visitorOf } from '../admin/console/support/visitor.ts';
import type { Shown } from '../admin/console/support/visitor.ts';
import { testClock } from '../directory/support/installation.ts';
import { withStoreHooks } from '../support/store-hooks.ts';
import { describeOnStores } from '../support/stores.ts';
import { mediaBuyInput, post, taskOf } from './support/buyer.ts';
import type { Json } from './support/buyer.ts';
import { operate } from './support/operator.ts';
import { startTestAgent } from './support/test-agent.ts';
import type { TestAgent } from './support/test-agent.ts';

describeOnStores('a key that is made anew, on %s', (store) => {
  const clock = testClock();
  let agent: TestAgent;
  let buyer: string;
  beforeAll(async () => {
    agent = await startTestAgent(store, { clock, working: false });
    const { body } = await operate(agent, 'POST', '/buyers/add', { name: 'Acme' });
    buyer = `/buyers/${String(body['organization_id'])}`;
  });
  afterAll(() => agent.stop());

  const newKey = async (more: Json = {}) => {
    const { status, body } = await operate(agent, 'POST', `${buyer}/keys/add`, { name: 'production', ...more });
    expect(status).toBe(200);
    return { key: String(body['key']), id: String(body['api_key_id']) };
  };
  const reroll = (id: string, body: Json, headers: Record<string, string> = {}) =>
    operate(agent, 'POST', `${buyer}/keys/${id}/reroll`, body, headers);
  const opens = async (key: string) => {
    const headers = { authorization: `Bearer ${key}`, 'a2a-version': '1.0' };
    const answer = await fetch(`${agent.baseUrl}/a2a/rest/tasks`, { headers });
    await answer.arrayBuffer();
    return answer.status;
  };
  const keys = () => agent.core.store.collection(apiKeys);
  const row = async (id: string): Promise<ApiKey | undefined> => keys().get(id);

  it('[R13.reroll] has the same name and scopes; the former one is good until exactly the end of the overlap', async () => {
    const old = await newKey({ scopes: ['tasks:read'] });
    const { status, body } = await reroll(old.id, { overlap_days: 1 });
    expect(status).toBe(200);
    const expires_at = new Date(clock.now() + DAY_MS).toISOString();
    expect(body).toMatchObject({
      ...{ name: 'production', scopes: ['tasks:read'], expires_at: null, revoked_at: null },
      former: { api_key_id: old.id, expires_at, replaced_by: body['api_key_id'] },
    });
    const fresh = String(body['key']);
    expect(JSON.stringify(await row(String(body['api_key_id'])))).not.toContain(fresh);
    expect([await opens(old.key), await opens(fresh)]).toEqual([200, 200]);
    clock.advance(DAY_MS - 1);
    expect([await opens(old.key), await opens(fresh)]).toEqual([200, 200]);
    clock.advance(1);
    expect([await opens(old.key), await opens(fresh)]).toEqual([401, 200]);
    const { body: record } = await operate(agent, 'GET', `/actions?target=${buyer}/keys/${old.id}`);
    expect(record['actions']).toMatchObject([
      { action: 'buyers.reroll_key', input: { overlap_days: 1 }, outcome: 'done', answer: null },
    ]);
  });

  it('[R13.reroll] an overlap prolongs no key that was to end sooner, and the new one ends as it was to', async () => {
    const expires_at = new Date(clock.now() + DAY_MS).toISOString();
    const old = await newKey({ expires_at });
    const { body } = await reroll(old.id, { overlap_days: 30 });
    expect(body).toMatchObject({ expires_at, former: { expires_at } });
    const later = new Date(clock.now() + 90 * DAY_MS).toISOString();
    const again = await reroll(String(body['api_key_id']), { overlap_days: 0, expires_at: later });
    expect(again.body).toMatchObject({
      expires_at: later,
      former: { expires_at: new Date(clock.now()).toISOString() },
    });
    expect(await opens(String(body['key']))).toBe(401);
  });

  it.each([-1, 31, 1.5, 'soon'])('refuses an overlap of %s, and changes nothing', async (overlap_days) => {
    const old = await newKey();
    const before = await row(old.id);
    const { status, body } = await reroll(old.id, { overlap_days });
    expect([status, body]).toMatchObject([422, { error: { field: 'overlap_days' } }]);
    expect(await row(old.id)).toEqual(before);
  });

  it('[R13.reroll] [T5] is refused for a key that is over, has a successor, or is another’s', async () => {
    const old = await newKey();
    const { body } = await reroll(old.id, { overlap_days: 7 });
    const successor = String(body['api_key_id']);
    const twice = await reroll(old.id, { overlap_days: 7 });
    expect([twice.status, JSON.stringify(twice.body)]).toEqual([409, expect.stringContaining(successor)]);
    const elsewhere = await operate(agent, 'POST', `/buyers/org_first/keys/${successor}/reroll`, { overlap_days: 7 });
    expect(elsewhere.status).toBe(404);
    // Once its successor is revoked there is something to make anew.
    await operate(agent, 'POST', `${buyer}/keys/${successor}/revoke`, { reason: 'lost on the way' });
    expect((await reroll(old.id, { overlap_days: 7 })).status).toBe(200);
    await operate(agent, 'POST', `${buyer}/keys/${old.id}/revoke`, { reason: 'a drill' });
    expect((await reroll(old.id, { overlap_days: 7 })).status).toBe(409);
  });

  it('[R13.reroll] made anew once more, since the successor is revoked, the new one ends as the former one was to', async () => {
    const whole = await newKey();
    const expires_at = new Date(clock.now() + 90 * DAY_MS).toISOString();
    const limited = await newKey({ expires_at });
    for (const [{ id }, end] of [
      [whole, null],
      [limited, expires_at],
    ] as const) {
      const { body } = await reroll(id, { overlap_days: 7 });
      await operate(agent, 'POST', `${buyer}/keys/${String(body['api_key_id'])}/revoke`, { reason: 'lost on the way' });
      const former = await row(id);
      const again = await reroll(id, { overlap_days: 30 });
      expect(again.body).toMatchObject({ expires_at: end, former: { expires_at: former?.expires_at } });
    }
  });

  it('[R13.reroll] of two clicks at once one makes it; of the other no key is left', async () => {
    const old = await newKey({ name: 'raced' });
    const both = await Promise.all([0, 1].map(() => reroll(old.id, { overlap_days: 7 })));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    const { body } = await operate(agent, 'GET', `${buyer}/keys?limit=100`);
    const living = (body['api_keys'] as ApiKey[]).filter(
      ({ name, revoked_at, replaced_by }) => name === 'raced' && revoked_at === null && replaced_by === undefined,
    );
    expect(living.map(({ api_key_id }) => api_key_id)).toEqual([(await row(old.id))?.replaced_by]);
  });

  it('[R13.reroll] of a key that is revoked meanwhile nothing is left', async () => {
    const old = await newKey({ name: 'revoked meanwhile' });
    const { organization_id } = (await row(old.id)) ?? {};
    if (organization_id === undefined) throw new Error('no such key');
    const { core } = agent;
    const click = randomUUID();
    // Somebody ends the former key once the new one is written.
    const hooked = withStoreHooks(core.store, {
      async after({ collection, kind }) {
        if (collection !== apiKeys.name || kind !== 'insert') return;
        await revokeApiKey({ ...core, keys: keys() }, organization_id, old.id);
      },
    });
    const deps = { ...core, keys: hooked.collection(apiKeys) };
    const rerolled = rerollApiKey(deps, click, { organization_id, api_key_id: old.id, overlap_days: 7 });
    await expect(rerolled).rejects.toMatchObject({ code: 'INVALID_STATE' });
    expect(await row(`key_${click}`)).toMatchObject({ revoked_at: expect.any(String) as unknown });
    expect((await row(old.id))?.replaced_by).toBeUndefined();
  });

  it('[R13.reroll] killed between its two writes leaves the former key as it was, and the same click completes it', async () => {
    const old = await newKey({ name: 'killed' });
    const before = await row(old.id);
    const headers = { 'idempotency-key': randomUUID() };
    const first = await reroll(old.id, { overlap_days: 7 }, headers);
    // As it stood when the first of the two was written.
    await keys().update(old.id, ({ replaced_by: _, ...rest }) => ({ ...rest, expires_at: before?.expires_at ?? null }));
    const actions = agent.core.store.collection(OperatorActions);
    const { rows } = await actions.find({ where: { target: `${buyer}/keys/${old.id}` } });
    await actions.update(rows[0]?.action_id ?? '', (one) => ({ ...one, outcome: 'begun', ended_at: null }));
    expect(await opens(old.key)).toBe(200);
    clock.advance(1000);
    const again = await reroll(old.id, { overlap_days: 7 }, headers);
    expect(again.status).toBe(200);
    expect(again.body['api_key_id']).toBe(first.body['api_key_id']);
    expect(await opens(String(again.body['key']))).toBe(200);
    expect(await row(old.id)).toMatchObject({
      replaced_by: again.body['api_key_id'],
      expires_at: new Date(clock.now() + 7 * DAY_MS).toISOString(),
    });
  });

  it('[R13.reroll] [T6] a message sent again under the key made anew, and anew once more, is the same message; under another key it is not', async () => {
    const old = await newKey();
    const { body: second } = await reroll(old.id, { overlap_days: 7 });
    const lost = await newKey({ name: 'rerolled in vain' });
    const { body: vain } = await reroll(lost.id, { overlap_days: 7 });
    await operate(agent, 'POST', `${buyer}/keys/${String(vain['api_key_id'])}/revoke`, { reason: 'lost on the way' });
    const { body: instead } = await reroll(lost.id, { overlap_days: 7 });
    const { body: third } = await reroll(String(second['api_key_id']), { overlap_days: 7 });
    const message = {
      ...{ messageId: randomUUID(), role: 'ROLE_USER' },
      parts: [{ data: { skill: 'create_media_buy', input: mediaBuyInput(agent) } }],
    };
    const sendBy = (apiKey: unknown, one: Json) => {
      const params = { message: one, configuration: { returnImmediately: true } };
      const call = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params };
      return post({ baseUrl: agent.baseUrl, apiKey: String(apiKey) }, call);
    };
    const first = taskOf(await sendBy(old.key, message)).id;
    expect(taskOf(await sendBy(second['key'], message)).id).toBe(first);
    expect(taskOf(await sendBy(third['key'], message)).id).toBe(first);
    const reading = { ...message, messageId: randomUUID(), parts: [{ data: { skill: 'get_products', input: {} } }] };
    const read = taskOf(await sendBy(lost.key, reading)).id;
    expect(taskOf(await sendBy(instead['key'], reading)).id).toBe(read);
    // What another key of the same organization sends is another's message.
    expect(taskOf(await sendBy(third['key'], reading)).id).not.toBe(read);
    expect((await sendBy((await newKey()).key, message)).error).toBeDefined();
  });

  it('[R13.reroll] [S2] a key made anew has no quota besides the former one’s, and another key has its own', async () => {
    const old = await newKey();
    const { body } = await reroll(old.id, { overlap_days: 7 });
    const left = async (key: unknown) => {
      const headers = { authorization: `Bearer ${String(key)}` };
      const answer = await fetch(`${agent.baseUrl}/api/me/publishers/pub.example/adagents`, { headers });
      await answer.arrayBuffer();
      return Number(answer.headers.get('ratelimit-remaining'));
    };
    const before = await left(old.key);
    expect(before).toBeGreaterThan(1);
    expect(await left(body['key'])).toBe(before - 1);
    expect(await left((await newKey()).key)).toBe(before);
  });

  it('[R13.reroll] [O1.once] by its buyer’s page: shown once, with until when the former one is good', async () => {
    const name = `paged ${randomUUID()}`;
    const old = await newKey({ name });
    const admin = await visitorOf(agent, 'admin');
    const { html } = await admin.get(buyer);
    const form = formsIn(html).find(({ button, action }) => button === 'Reroll it' && action.includes(old.id));
    if (form === undefined) throw new Error('the page has no such form');
    const shown = await admin.send(form, { overlap_days: '7' });
    expect(shown.status).toBe(200);
    expect(shown.headers.get('cache-control')).toBe('no-store');
    const key = /id="secret">([^<]+)</.exec(shown.html)?.[1] ?? '';
    expect(await opens(key)).toBe(200);
    expect(shown.html).toContain(new Date(clock.now() + 7 * DAY_MS).toISOString());
    const after = await admin.get(buyer);
    expect(after.html).not.toContain(key);
    const again = (page: Shown) =>
      formsIn(page.html).filter(({ button, action }) => button === 'Reroll it' && action.includes(old.id)).length;
    expect(again(after)).toBe(0);
    // Another in place of one that was revoked.
    const successor = String((await row(old.id))?.replaced_by);
    await operate(agent, 'POST', `${buyer}/keys/${successor}/revoke`, { reason: 'a drill' });
    expect(after.html).not.toContain(`${successor}, which is revoked`);
    const ended = await admin.get(buyer);
    expect(again(ended)).toBe(1);
    expect(ended.html).toContain(`in its place ${successor}, which is revoked`);
  });
});
