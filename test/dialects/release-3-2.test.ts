import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../journeys/support/buyer.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { accountOf, orderOf } from './support/booking.ts';
import { bodyOf, callPublic, schemaErrors } from './support/public-call.ts';
import type { Release } from './support/public-call.ts';

interface Offer {
  product_id: string;
  pricing_options: { pricing_option_id: string; floor_price?: number; fixed_price?: number }[];
  format_options?: { format_option_id: string; format_kind: string }[];
}

const account = accountOf('acme.example');
const OF_3_2 = ['list_products', 'buy_products', 'control_media_buy'] as const;
const named = (format_option_id: string) => ({ scope: 'product', format_option_id });

let at: TestAgent;
beforeAll(async () => {
  at = await startTestAgent('sqlite', { env: { CREATIVE_REVIEW_SECONDS: '0' } });
});
afterAll(() => at.stop());

/** Calls, and holds the answer against the official schema. */
async function ask(skill: string, parameters: Json, release: Release = '3.2'): Promise<Json> {
  const body = bodyOf(await callPublic(at, skill, { adcp_version: release, ...parameters }));
  expect(schemaErrors(skill, release, body)).toEqual([]);
  // What is closed has no place for it.
  expect(body['adcp_version']).toBe(skill === 'control_media_buy' ? undefined : release);
  return body;
}

async function offers(filters: Json): Promise<Offer[]> {
  const body = await ask('get_products', { buying_mode: 'wholesale', filters, pagination: { max_results: 100 } });
  return body['products'] as Offer[];
}

/** A package of a product that takes banners of 300x250. */
async function lineOf(pricing: 'fixed_price' | 'floor_price', more: Json = {}): Promise<Json> {
  for (const { product_id, pricing_options } of await offers({ format_option_refs: [named('display_300x250')] })) {
    const option = pricing_options.find((one) => one[pricing] !== undefined);
    if (option !== undefined)
      return { product_id, pricing_option_id: option.pricing_option_id, budget: 20_000, ...more };
  }
  throw new Error(`nothing is for sale at a ${pricing}`);
}

const control = (made: Json, more: Json) => {
  const { media_buy_id, revision } = made;
  return ask('control_media_buy', { account, media_buy_id, revision, idempotency_key: randomUUID(), ...more });
};

describe('[D1.release] 3.2', () => {
  it.each(['3.0', '3.1', '3.2'] as const)('is told of, and how long webhooks are tried, in %s', async (release) => {
    const told = await ask('get_adcp_capabilities', {}, release);
    expect(told).toMatchObject({
      adcp: { supported_versions: ['3.0', '3.1', '3.2', '3.2-beta.5', '3.2-rc.7'] },
      webhook_signing: { supported: true, delivery_retry_horizon_seconds: 86_400 },
    });
    const { media_buy, account: accounts } = told as { media_buy: Json; account: Json };
    expect(media_buy['lifecycle_tools']).toEqual(release === '3.2' ? [...OF_3_2] : undefined);
    expect(accounts['supported_account_currency_modes']).toEqual(release === '3.2' ? ['per_media_buy'] : undefined);
  });

  it.each(['3.2-beta.5', '3.2-rc.7'])('is what its pre-release %s is answered in, by that name', async (pin) => {
    const body = bodyOf(await callPublic(at, 'get_adcp_capabilities', { adcp_version: pin }));
    expect(body).toMatchObject({ adcp_version: pin, media_buy: { lifecycle_tools: [...OF_3_2] } });
  });

  it('has its tasks among the skills and the tools, whoever asks', async () => {
    const card = (await (await fetch(`${at.baseUrl}/.well-known/agent-card.json`)).json()) as { skills: Json[] };
    expect(card.skills.map(({ id }) => id)).toEqual(expect.arrayContaining([...OF_3_2]));
    const listed = await fetch(`${at.baseUrl}/mcp`, {
      method: 'POST',
      headers: {
        ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        authorization: `Bearer ${at.apiKey}`,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    const names = [...(await listed.text()).matchAll(/"name":"(\w+)"/g)].map(([, name]) => name);
    expect(names).toEqual(expect.arrayContaining([...OF_3_2]));
  });

  it('leaves who names no release what they were answered', async () => {
    const { adcp_version } = bodyOf(await callPublic(at, 'get_adcp_capabilities', {}));
    expect(adcp_version).toBe('3.1');
  });

  it.each([
    ['currency', 'EUR'],
    ['timezone', 'Europe/Berlin'],
    ['operator_unit', { id: 'seat-1' }],
  ])('refuses an account that is told apart by its %s', async (name, value) => {
    const error = { code: 'UNSUPPORTED_FEATURE', field: `account.${name}` };
    const line = await lineOf('fixed_price');
    const order = orderOf(line, { account: { ...account, [name]: value } });
    expect(await ask('create_media_buy', order)).toMatchObject({ adcp_error: error });
    const synced = await ask('sync_accounts', {
      idempotency_key: randomUUID(),
      accounts: [
        { ...account, billing: 'operator', [name]: value },
        { ...account, billing: 'operator' },
      ],
    });
    expect(synced['accounts']).toMatchObject([
      { action: 'failed', errors: [{ code: 'UNSUPPORTED_FEATURE', field: `accounts[0].${name}` }] },
      { brand: account.brand },
    ]);
  });

  it.each(['3.0', '3.1'] as const)('has a task that %s has not', async (release) => {
    const body = bodyOf(
      await callPublic(at, 'control_media_buy', { adcp_version: release, idempotency_key: randomUUID() }),
    );
    const error = body['adcp_error'] as { code: string; message: string };
    expect(error).toMatchObject({ code: 'UNSUPPORTED_FEATURE', field: 'skill' });
    expect(error.message).not.toMatch(/it has .*control_media_buy/);
  });

  it.each(['request_proposals', 'refine_proposals', 'decline_proposals', 'accept_proposal'])(
    'says of %s that it is not built',
    async (skill) => {
      const body = bodyOf(await callPublic(at, skill, { adcp_version: '3.2', idempotency_key: randomUUID() }));
      expect(body).toMatchObject({ adcp_version: '3.2', adcp_error: { code: 'UNSUPPORTED_FEATURE', field: 'skill' } });
      expect((body['adcp_error'] as { message: string }).message).toContain('control_media_buy');
    },
  );
});

describe('[D3.formats] in 3.2', () => {
  it('products are found by the kinds and the options that they take', async () => {
    const images = await offers({ format_kinds: ['image'] });
    expect(images.length).toBeGreaterThan(0);
    for (const { format_options = [] } of images) {
      expect(format_options.map(({ format_kind }) => format_kind)).toContain('image');
    }
    expect(images.length).toBeLessThan((await offers({})).length);
    const banners = await offers({ format_option_refs: [named('display_300x250')] });
    expect(banners.length).toBeGreaterThan(0);
    expect(await offers({ format_option_refs: [{ ...named('display_300x250'), scope: 'publisher' }] })).toEqual([]);
  });

  it('a creative is told by its canonical name, however it came', async () => {
    const assets = { image: { asset_type: 'image', url: 'https://cdn.acme.example/a.jpg', width: 300, height: 250 } };
    const creative = { name: 'Trail', assets };
    const creatives = [
      { ...creative, creative_id: 'kind', format_kind: 'image', format_option_ref: named('display_300x250') },
      { ...creative, creative_id: 'id', format_id: { agent_url: at.baseUrl, id: 'display_300x250' } },
    ];
    const synced = await ask('sync_creatives', { account, idempotency_key: randomUUID(), creatives });
    expect(synced['creatives']).toMatchObject([{ action: 'created' }, { action: 'created' }]);
    const { creatives: listed } = await ask('list_creatives', { filters: { creative_ids: ['kind', 'id'] } });
    expect(listed).toHaveLength(2);
    for (const row of listed as Json[]) {
      expect(row).toMatchObject({ format_kind: 'image', format_option_ref: named('display_300x250') });
      expect(row).not.toHaveProperty('format_id');
    }
    const { creatives: before } = await ask('list_creatives', { filters: { creative_ids: ['kind'] } }, '3.1');
    expect(before).toMatchObject([{ format_id: { id: 'display_300x250' } }]);
    expect((before as Json[])[0]).not.toHaveProperty('format_kind');
  });

  it('a package that names formats in several ways must name the same, where 3.1 looks at the first', async () => {
    const format_ids = [{ agent_url: at.baseUrl, id: 'display_300x250' }];
    const same = await lineOf('fixed_price', { format_option_refs: [named('display_300x250')], format_ids });
    expect(await ask('create_media_buy', orderOf(same))).toMatchObject({ packages: [{ format_ids }] });
    const [{ format_options = [] } = {}] = await offers({ format_option_refs: [named('display_300x250')] });
    const another = format_options.find((one) => one.format_option_id !== 'display_300x250');
    if (another === undefined) throw new Error('the product takes one format alone');
    const odd = { ...same, format_option_refs: [named(another.format_option_id)] };
    const error = { code: 'CONFLICTING_SELECTORS', field: 'packages[0].format_ids' };
    expect(await ask('create_media_buy', orderOf(odd))).toMatchObject({ adcp_error: error });
    expect(await ask('create_media_buy', orderOf(odd), '3.1')).toHaveProperty('media_buy_id');
  });
});

describe('[D3.changes] in 3.2', () => {
  it('a bid is the most that is paid, and told so', async () => {
    const line = await lineOf('floor_price', { bidding: { max_bid: 40 } });
    const made = await ask('create_media_buy', orderOf(line));
    expect(made).toMatchObject({ packages: [{ bidding: { max_bid: 40 } }] });
    const [{ package_id }] = made['packages'] as [{ package_id: string }];
    const raised = await control(made, { packages: [{ package_id, bidding: { max_bid: 45 } }] });
    expect(raised).toMatchObject({ status: 'completed', affected_package_ids: [package_id] });
    const { media_buys } = await ask('get_media_buys', { media_buy_ids: [made['media_buy_id']] }, '3.1');
    expect(media_buys).toMatchObject([{ packages: [{ bid_price: 45 }] }]);
  });

  it.each([
    ['a way of bidding that is not followed', 'floor_price', { automatic: true }],
    ['a bid for a fixed price', 'fixed_price', { max_bid: 40 }],
  ] as const)('refuses %s', async (_, pricing, bidding) => {
    const body = await ask('create_media_buy', orderOf(await lineOf(pricing, { bidding })));
    const error = { code: 'UNSUPPORTED_FEATURE', field: 'packages[0].bidding' };
    expect(body).toMatchObject({ adcp_error: error });
  });

  it('control_media_buy pauses, resumes and cancels by the revision that was seen', async () => {
    const made = await ask('create_media_buy', orderOf(await lineOf('fixed_price')));
    const [{ package_id }] = made['packages'] as [{ package_id: string }];
    const paused = await control(made, { packages: [{ package_id, paused: true }] });
    expect(paused).toMatchObject({ media_buy_id: made['media_buy_id'], affected_package_ids: [package_id] });
    expect(paused['revision']).toBeGreaterThan(Number(made['revision']));
    const stale = await control(made, { packages: [{ package_id, paused: false }] });
    expect(stale).toMatchObject({ adcp_error: { code: 'CONFLICT', field: 'revision' } });
    const over = await control(paused, { canceled: true, cancellation_reason: 'the shop closes' });
    expect(over).toMatchObject({ media_buy_status: 'canceled' });
  });

  it('control_media_buy takes one dimension of the targeting at a time, and null takes it out', async () => {
    const overlay = { geo_countries: ['US'], daypart_targets: [] };
    const made = await ask(
      'create_media_buy',
      orderOf(await lineOf('fixed_price', { targeting_overlay: { geo_countries: ['US'] } })),
    );
    const [{ package_id }] = made['packages'] as [{ package_id: string }];
    const overlayOf = async () => {
      const { media_buys } = await ask('get_media_buys', { media_buy_ids: [made['media_buy_id']] });
      return (media_buys as [{ packages: [Json] }])[0].packages[0]['targeting_overlay'];
    };
    expect(await overlayOf()).toEqual({ geo_countries: overlay.geo_countries });
    const more = await control(made, {
      packages: [{ package_id, targeting_overlay: { geo_countries_exclude: ['CA'] } }],
    });
    expect(more).toMatchObject({ affected_package_ids: [package_id] });
    expect(await overlayOf()).toEqual({ geo_countries: ['US'], geo_countries_exclude: ['CA'] });
    await control(more, { packages: [{ package_id, targeting_overlay: { geo_countries: null } }] });
    expect(await overlayOf()).toEqual({ geo_countries_exclude: ['CA'] });
  });

  it.each([
    ['without a revision', { revision: undefined, paused: true }, { field: 'revision' }],
    ['of the flight', { end_time: '2031-01-01T00:00:00Z' }, { code: 'UNSUPPORTED_FEATURE', field: 'end_time' }],
    ['of a cap by the day', { daily_budget_cap: 5 }, { code: 'UNSUPPORTED_FEATURE', field: 'daily_budget_cap' }],
  ])('control_media_buy refuses a change %s by its field', async (_, more, error) => {
    const { media_buy_id, revision } = await ask('create_media_buy', orderOf(await lineOf('fixed_price')));
    const parameters = JSON.parse(JSON.stringify({ revision, ...more })) as Json;
    const keyed = { account, media_buy_id, idempotency_key: randomUUID() };
    const body = await ask('control_media_buy', { ...keyed, ...parameters });
    expect(body).toMatchObject({ adcp_error: error });
  });

  it('a price that is not there has a name of its own', async () => {
    const line = { ...(await lineOf('fixed_price')), pricing_option_id: 'none' };
    const field = 'packages[0].pricing_option_id';
    expect(await ask('create_media_buy', orderOf(line))).toMatchObject({
      adcp_error: { code: 'INVALID_PRICING_OPTION', field },
    });
    expect(await ask('create_media_buy', orderOf(line), '3.1')).toMatchObject({
      adcp_error: { code: 'INVALID_REQUEST', field },
    });
  });
});
