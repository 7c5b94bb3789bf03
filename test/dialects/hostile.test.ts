import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../journeys/support/buyer.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { Accounts } from '../../src/sales/account/account.ts';
import { accountOf, orderOf } from './support/booking.ts';
import { bodyOf, callPublic, schemaErrors } from './support/public-call.ts';

async function asked(at: TestAgent, skill: string, parameters: Json): Promise<Json> {
  const body = bodyOf(await callPublic(at, skill, { adcp_version: '3.1', ...parameters }));
  expect(schemaErrors(skill, '3.1', body)).toEqual([]);
  return body;
}

describe('what a buyer of the public protocol sends that is meant ill, or unluckily named', () => {
  let at: TestAgent;
  beforeAll(async () => {
    at = await startTestAgent('sqlite', { env: { CREATIVE_REVIEW_SECONDS: '0' } });
  });
  afterAll(() => at.stop());

  const ask = (skill: string, parameters: Json) => asked(at, skill, parameters);
  const accounts = () => at.core.store.collection(Accounts).count({});
  const sample = () =>
    (at.core.runtime.tasks.get('sync_creatives')?.examples[0]?.input as { creatives: Json[] }).creatives[0];
  const sync = (more: Json): Json => ({
    ...{ account: accountOf('acme.example'), idempotency_key: randomUUID(), creatives: [sample()] },
    ...more,
  });

  it.each(['constructor', 'toString'])('[D4] looks for a creative called %s as for any other', async (creative_id) => {
    const body = await ask('sync_creatives', sync({ assignments: [{ creative_id, package_id: 'none' }] }));
    expect(body).toMatchObject({ adcp_error: { code: 'CREATIVE_NOT_FOUND', field: `assignments.${creative_id}` } });
  });

  it('[D3.products] sells nothing in a channel that is called as what every object has', async () => {
    const body = await ask('get_products', {
      ...{ buying_mode: 'wholesale', filters: { channels: ['constructor', 'toString'] } },
    });
    expect(body).toMatchObject({ status: 'completed', products: [] });
  });

  it.each([
    ['a brand', { brand: { domain: 'acme.example/<script>' }, operator: 'agency.example' }, 'account.brand.domain'],
    ['who acts for it', { brand: { domain: 'acme.example' }, operator: '' }, 'account.operator'],
  ])('[D4] %s that is no domain makes no account', async (_, account, field) => {
    const before = await accounts();
    expect(await ask('sync_creatives', sync({ account }))).toMatchObject({
      adcp_error: { code: 'VALIDATION_ERROR', field },
    });
    expect(await accounts()).toBe(before);
  });

  it.each(['get_media_buys', 'list_creatives', 'get_media_buy_delivery'])(
    '[D4] %s tells nothing of an account that is nobody’s',
    async (skill) => {
      const asking = { adcp_version: '3.1', account: { account_id: 'acc_none' } };
      const body = bodyOf(await callPublic(at, skill, asking));
      expect(body).toMatchObject({ adcp_error: { code: 'ACCOUNT_NOT_FOUND', field: 'account.account_id' } });
    },
  );

  it('[D1] a poll of a poll tells how that went, and not again what it told', async () => {
    const read = await callPublic(at, 'get_products', { adcp_version: '3.1', buying_mode: 'wholesale' });
    const poll = (task_id: string) =>
      callPublic(at, 'get_task_status', { adcp_version: '3.1', task_id, include_result: true });
    const first = await poll(read.id);
    expect(bodyOf(first)).toMatchObject({ result: { products: expect.any(Array) as unknown } });
    const second = bodyOf(await poll(first.id));
    expect(second).toMatchObject({ task_id: first.id, status: 'completed' });
    expect(second).not.toHaveProperty('result');
  });

  it('[D4] a change that is refused, or only tried, opens no account', async () => {
    const before = await accounts();
    const none = { product_id: 'none', pricing_option_id: 'none', budget: 5 };
    const { adcp_error } = await ask('create_media_buy', orderOf(none, { account: accountOf('refused.example') }));
    expect(adcp_error).toMatchObject({ code: 'PRODUCT_NOT_FOUND' });
    await ask('sync_creatives', sync({ account: accountOf('tried.example'), dry_run: true }));
    expect(await accounts()).toBe(before);
    await ask('sync_creatives', sync({ account: accountOf('taken.example') }));
    expect(await accounts()).toBe(before + 1);
  });

  it('[D4.creatives] what is missing is not deleted from under another account by one that is new', async () => {
    const account = accountOf('owner.example');
    await ask('sync_creatives', sync({ account }));
    const before = (await ask('list_creatives', { account }))['creatives'];
    const body = await ask('sync_creatives', sync({ account: accountOf('newcomer.example'), delete_missing: true }));
    expect((body['creatives'] as Json[]).map(({ action }) => action)).toEqual(['created']);
    const ids = (rows: unknown) => (rows as Json[]).map(({ creative_id }) => creative_id);
    expect(ids((await ask('list_creatives', { account }))['creatives'])).toEqual(ids(before));
  });
});

describe('a sandbox account of the public protocol', () => {
  it('[D4.refused] is refused where the ad server is a real one', async () => {
    const env = { AD_SERVER: 'http', AD_SERVER_URL: 'http://127.0.0.1:9', AD_SERVER_TOKEN: 'x'.repeat(40) };
    const at = await startTestAgent('sqlite', { working: false, env });
    const account = { ...accountOf('acme.example'), sandbox: true };
    const none = { product_id: 'none', pricing_option_id: 'none', budget: 5 };
    const body = await asked(at, 'create_media_buy', orderOf(none, { account })).finally(() => at.stop());
    expect(body).toMatchObject({ adcp_error: { code: 'UNSUPPORTED_FEATURE', field: 'account.sandbox' } });
  });
});
