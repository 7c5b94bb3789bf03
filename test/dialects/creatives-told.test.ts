import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CreativeStatus } from '../../src/sales/creative/creative.ts';
import { MediaBuyId } from '../../src/sales/media-buy/media-buy-id.ts';
import type { Json } from '../journeys/support/buyer.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { sampleCreative } from '../sales/support/sample-creative.ts';
import { organizationId } from '../support/ids.ts';
import { until } from '../support/until.ts';
import { describeOnStores } from '../support/stores.ts';
import { accountOf, orderOf, packageForSale } from './support/booking.ts';
import { bodyOf, callPublic, RELEASES, schemaErrors } from './support/public-call.ts';
import type { Release } from './support/public-call.ts';

const ACCOUNT = accountOf('acme.example');
const url = 'https://cdn.pinecrest.example/a';
/** Of formats that are gone, and of one that is for sale: what is stored, and as what it is told. */
const ASSETS: Readonly<Record<string, readonly [stored: Json, told: Json]>> = {
  link: [{ url }, { asset_type: 'url', url }],
  words: [{ content: 'Hello' }, { asset_type: 'text', content: 'Hello' }],
  sized: [
    { kind: 'image', url, width: 3, height: 2 },
    { asset_type: 'image', url, width: 3, height: 2 },
  ],
  unsized: [
    { asset_type: 'image', url },
    { asset_type: 'url', url },
  ],
  page: [
    { kind: 'html', url },
    { asset_type: 'url', url },
  ],
  tag: [
    { asset_type: 'html', content: '<b>' },
    { asset_type: 'html', content: '<b>' },
  ],
  served: [
    { kind: 'vast', url },
    { asset_type: 'vast', delivery_type: 'url', url },
  ],
  inline: [
    { asset_type: 'vast', content: '<VAST/>' },
    { asset_type: 'vast', delivery_type: 'inline', content: '<VAST/>' },
  ],
};

describeOnStores('[C.tasks.lists] what list_creatives tells of each on %s', (store) => {
  let agent: TestAgent;
  let media_buy_ids: string[];
  /** Those of the first buy, then those of the second; all but the last name the creative. */
  let package_ids: string[];
  beforeAll(async () => {
    agent = await startTestAgent(store, { env: { CREATIVE_REVIEW_SECONDS: '86400' } });
    const row = { organization_id: organizationId('org_demo_buyer'), tags: ['stored'] };
    const assets = Object.fromEntries(Object.entries(ASSETS).map(([key, [stored]]) => [key, stored]));
    const image = { url, width: 300, height: 250 };
    await agent.core.sales.creatives.insertMany([
      sampleCreative({ ...row, creative_id: 'gone', format_id: { agent_url: agent.baseUrl, id: 'gone' }, assets }),
      sampleCreative({
        ...{ ...row, creative_id: 'sold', format_id: { agent_url: agent.baseUrl, id: 'display_300x250' } },
        assets: { image },
      }),
    ]);
    const example = agent.core.runtime.tasks.get('sync_creatives')?.examples[0]?.input as { creatives: [Json] };
    const creatives = [{ ...example.creatives[0], creative_id: 'busy', tags: ['busy'] }];
    await ask('sync_creatives', { account: ACCOUNT, idempotency_key: randomUUID(), creatives });
    // It is looked at once it has come in, which is a change of it; then nobody touches it.
    await until(async () => (await agent.core.sales.creatives.count({ status: 'processing' })) === 0);
    const line = await packageForSale(agent);
    const named = { ...line, creative_assignments: [{ creative_id: 'busy' }] };
    const bought = [];
    for (const packages of [
      [named, named],
      [named, line],
    ])
      bought.push(await ask('create_media_buy', orderOf(line, { packages })));
    media_buy_ids = bought.map(({ media_buy_id }) => String(media_buy_id));
    package_ids = bought.flatMap(({ packages }) => (packages as Json[]).map(({ package_id }) => String(package_id)));
  });
  afterAll(() => agent.stop());

  async function ask(skill: string, parameters: Json, release: Release = '3.1'): Promise<Json> {
    const body = bodyOf(await callPublic(agent, skill, { adcp_version: release, ...parameters }));
    expect(schemaErrors(skill, release, body)).toEqual([]);
    return body;
  }
  const list = async (filters: Json, more: Json, release?: Release) =>
    (await ask('list_creatives', { filters, ...more }, release))['creatives'] as Json[];
  const assigned = async (more: Json, release: Release, filters: Json = {}) => {
    const [creative] = await list({ tags: ['busy'], ...filters }, more, release);
    const { assigned_packages, ...counts } = creative?.['assignments'] as Json & { assigned_packages: Json[] };
    return { told: assigned_packages.map(({ package_id }) => package_id), counts };
  };

  it.each(RELEASES)(
    '[D3.schema] assets in %s are told with a type, also those of which nobody knows it any more',
    async (release) => {
      const creatives = await list({ tags: ['stored'] }, {}, release);
      const of = (id: string) => creatives.find(({ creative_id }) => creative_id === id)?.['assets'];
      expect(of('gone')).toEqual(Object.fromEntries(Object.entries(ASSETS).map(([key, [, told]]) => [key, told])));
      expect(of('sold')).toEqual({ image: { asset_type: 'image', url, width: 300, height: 250 } });
    },
  );

  it.each(RELEASES)(
    '[D4.refused] snapshots in %s are said not to be had, items and variables to be none',
    async (release) => {
      const filters = { tags: ['busy'] };
      const none = { snapshot_unavailable_reason: 'SNAPSHOT_UNSUPPORTED', items: [], variables: [] };
      const [plain = {}] = await list(filters, {}, release);
      for (const name of Object.keys(none)) expect(plain).not.toHaveProperty(name);
      const all = { include_snapshot: true, include_items: true, include_variables: true };
      for (const more of [all, { ...all, fields: ['name'] }, { fields: ['snapshot', 'items', 'variables'] }])
        expect((await list(filters, more, release))[0]).toMatchObject(none);
      const [lean = {}] = await list(filters, { include_items: true, fields: ['name'] }, release);
      expect(lean).toMatchObject({ items: [] });
      for (const name of ['assets', 'variables', 'snapshot_unavailable_reason']) expect(lean).not.toHaveProperty(name);
      // Nothing is left out for it: none was ever purged.
      expect(await list(filters, { include_purged: true }, release)).toEqual([plain]);
    },
  );

  it.each(RELEASES)('[D4.refused] a status finds in %s what is told by that word, and no other', async (release) => {
    const tags = [`state-${release}`];
    const row = { organization_id: organizationId('org_demo_buyer'), tags };
    await agent.core.sales.creatives.insertMany(
      CreativeStatus.options.map((status) => sampleCreative({ ...row, creative_id: `${status}-${release}`, status })),
    );
    const found = async (statuses: string[]) =>
      (await list({ tags, statuses }, {}, release)).map(({ creative_id, status }) => [creative_id, status]);
    const all = await found(CreativeStatus.options);
    expect(all).toHaveLength(CreativeStatus.options.length);
    for (const word of CreativeStatus.options) {
      expect([word, await found([word])]).toEqual([word, all.filter(([, status]) => status === word)]);
    }
    // None is left out by an empty list but what is archived.
    expect(await found([])).toHaveLength(all.length - 1);
  });

  it('[D4.refused] packages of a creative are told as many as are asked for, and how many there are', async () => {
    const whole = { assignment_count: 3 };
    const all = (await assigned({}, '3.0')).told;
    expect(all.toSorted()).toEqual(package_ids.slice(0, 3).toSorted());
    for (const release of ['3.0', '3.1'] as const) {
      expect(await assigned({}, release)).toEqual({ told: all, counts: whole });
    }
    const complete = { ...whole, returned_assignment_count: 3, assignments_truncated: false };
    expect(await assigned({}, '3.2')).toEqual({ told: all, counts: complete });
    const short = { ...whole, returned_assignment_count: 1, assignments_truncated: true };
    for (const release of RELEASES) {
      expect(await assigned({ assignment_limit: 1 }, release)).toEqual({ told: all.slice(0, 1), counts: short });
    }

    const matching = (filters: Json, more: Json = {}) =>
      assigned({ assignment_projection: 'matching', ...more }, '3.2', filters);
    const [one = ''] = media_buy_ids;
    const ofOne = all.filter((id) => String(id).startsWith(one));
    const counted = { matching_assignment_count: 2 };
    expect(await matching({ media_buy_ids: [one] })).toEqual({
      ...{ told: ofOne, counts: { ...complete, ...counted, returned_assignment_count: 2 } },
    });
    expect(await matching({ media_buy_ids: [one], assigned_to_packages: [ofOne[1]] })).toEqual({
      told: [ofOne[1]],
      counts: { ...complete, matching_assignment_count: 1, returned_assignment_count: 1 },
    });
    expect(await matching({ media_buy_ids: [one] }, { assignment_limit: 1 })).toEqual({
      ...{ told: ofOne.slice(0, 1), counts: { ...short, ...counted } },
    });
    expect((await matching({})).told).toEqual(all);
    expect((await assigned({}, '3.2', { media_buy_ids: [one] })).told).toEqual(all);
  });

  it.each(RELEASES)(
    'when a package had it is told in %s by the history of the buy, and not by its own',
    async (release) => {
      const sent = agent.core.runtime.tasks.get('sync_creatives')?.examples[0]?.input as { creatives: [Json] };
      const creative = { ...sent.creatives[0], creative_id: `dated-${release}`, tags: [`dated-${release}`] };
      const sync = (more: Json) => ask('sync_creatives', { account: ACCOUNT, idempotency_key: randomUUID(), ...more });
      await sync({ creatives: [creative] });
      const line = await packageForSale(agent);
      const named = { ...line, creative_assignments: [{ creative_id: creative.creative_id }] };
      const { media_buy_id, packages } = await ask('create_media_buy', orderOf(line, { packages: [named, line] }));
      const [booked = '', later = ''] = (packages as Json[]).map(({ package_id }) => String(package_id));
      const assign = (package_id: string) =>
        sync({ assignments: [{ creative_id: creative.creative_id, package_id }], creatives: [creative] });
      const told = async () => {
        const [row] = await list({ tags: creative.tags }, {}, release);
        const { assigned_packages } = row?.['assignments'] as { assigned_packages: Json[] };
        return Object.fromEntries(
          assigned_packages.map((one) => [String(one['package_id']), String(one['assigned_date'])]),
        );
      };
      const buy = async () => {
        const found = await agent.core.sales.mediaBuys.get(MediaBuyId.parse(media_buy_id));
        if (found === undefined) throw new Error('the buy is gone');
        return found;
      };
      expect(await told()).toEqual({ [booked]: (await buy()).created_at });
      await assign(later);
      const { history } = await buy();
      const assignedAt = history.find(({ action }) => action === 'creatives_assigned')?.at;
      expect(assignedAt).toBeDefined();
      expect((await told())[later]).toBe(assignedAt);
      // What becomes of the creative itself later is no assignment.
      await sync({ creatives: [{ ...creative, name: 'Another name' }] });
      expect((await told())[later]).toBe(assignedAt);
    },
  );

  it.each([
    ['include_pricing', true],
    ['assignment_limit', 0],
    ['assignment_limit', 201],
    ['assignment_projection', 'some'],
  ])('[D4.refused] %s of %s is refused by name', async (field, value) => {
    for (const release of RELEASES) {
      const asked = { adcp_version: release, [field]: value };
      const code = value === true ? 'UNSUPPORTED_FEATURE' : 'VALIDATION_ERROR';
      expect(bodyOf(await callPublic(agent, 'list_creatives', asked))).toMatchObject({ adcp_error: { code, field } });
    }
  });

  it.each(RELEASES)(
    'what %s lets agents leave out is no reason to refuse, and is not said to be there',
    async (release) => {
      const asked = { include_webhook_activity: true, webhook_activity_limit: 5 };
      // What other tests have sent is still looked at: between two lists that are the same, nothing has changed.
      const { all, told } = await until(async () => {
        const all = await list({}, {}, release);
        const told = await list({ asset_types: ['zip'] }, asked, release);
        return isDeepStrictEqual(all, await list({}, {}, release)) && { all, told };
      });
      expect(told).toEqual(all);
      for (const one of all) expect(one).not.toHaveProperty('webhook_activity');
    },
  );

  it.each(['publisher_domain', 'property_id'])(
    '[D4.refused] formats are not listed by %s, and that is said',
    async (field) => {
      const asked = { adcp_version: '3.1', [field]: 'pinecrest.example' };
      expect(bodyOf(await callPublic(agent, 'list_creative_formats', asked))).toMatchObject({
        adcp_error: { code: 'UNSUPPORTED_FEATURE', field },
      });
    },
  );
});
