import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { toTimestamp } from '../../src/platform/clock.ts';
import type { Json } from '../journeys/support/buyer.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { sampleCreative } from '../sales/support/sample-creative.ts';
import { organizationId } from '../support/ids.ts';
import { describeOnStores } from '../support/stores.ts';
import { accountOf, orderOf, packageForSale } from './support/booking.ts';
import { bodyOf, callPublic, schemaErrors } from './support/public-call.ts';
import type { Release } from './support/public-call.ts';

const FROM = Date.parse('2026-03-02T09:00:00.000Z');
const at = (minute: number) => toTimestamp(FROM + minute * 60_000);
/** More than are looked at in one go, and than a total tells of. */
const MANY = 1_100;
/** Says what it is, for some of them are of formats that are gone. */
const assets = { image: { asset_type: 'image', url: 'https://cdn.pinecrest.example/a.png', width: 300, height: 250 } };

describeOnStores('[C.tasks.lists] filters and orders of list_creatives on %s', (store) => {
  let agent: TestAgent;
  let banner: Json;
  let film: Json;
  beforeAll(async () => {
    agent = await startTestAgent(store, { env: { CREATIVE_REVIEW_SECONDS: '86400' } });
    const organization_id = organizationId('org_demo_buyer');
    const agent_url = agent.baseUrl;
    banner = { agent_url, id: 'display_300x250' };
    film = { agent_url, id: 'video_30s_16x9' };
    const few = [
      ['oak', 'Spring Oak', ['spring', 'wood'], 'display_300x250', 5],
      ['elm', 'spring elm', ['spring'], 'display_300x250', 9],
      ['fir', 'Autumn fir', ['autumn', 'wood'], 'video_30s_16x9', 7],
      ['ash', 'Ash 100%_', [], 'gone', 6],
    ] as const;
    const rows = few.map(([creative_id, name, tags, id, changed], i) =>
      sampleCreative({
        ...{ organization_id, creative_id, name, tags: [...tags], status: 'approved', format_id: { agent_url, id } },
        ...{ assets, created_at: at(i), updated_at: at(changed) },
      }),
    );
    const many = Array.from({ length: MANY }, (_, i) =>
      sampleCreative({
        ...{ organization_id, creative_id: `m${i}`, name: `Leaf ${i}`, tags: i % 5 === 0 ? ['fifth'] : [] },
        ...{ status: 'rejected', format_id: { agent_url, id: 'gone' } },
        ...{ assets, created_at: at(100 + i), updated_at: at(100 + i) },
      }),
    );
    expect(await agent.core.sales.creatives.insertMany([...rows, ...many])).toBe(4 + MANY);
  });
  afterAll(() => agent.stop());

  async function list(parameters: Json, release: Release = '3.1') {
    const body = bodyOf(await callPublic(agent, 'list_creatives', { adcp_version: release, ...parameters }));
    expect(schemaErrors('list_creatives', release, body)).toEqual([]);
    return body as {
      creatives: { creative_id: string }[];
      query_summary: Json;
      pagination: { has_more: boolean; cursor?: string; total_count?: number };
    };
  }
  const statuses = ['approved'];
  const ids = async (filters: Json, release?: Release, more: Json = {}) =>
    (await list({ filters: { statuses, ...filters }, ...more }, release)).creatives.map((one) => one.creative_id);

  it.each(['3.0', '3.1', '3.2'] as const)('each is served in %s, alone and together', async (release) => {
    expect(await ids({ tags: ['spring', 'wood'] }, release)).toEqual(['oak']);
    expect(await ids({ tags_any: ['spring', 'autumn'] }, release)).toEqual(['fir', 'elm', 'oak']);
    expect(await ids({ name_contains: 'SPRING' }, release)).toEqual(['elm', 'oak']);
    expect(await ids({ name_contains: '0%_' }, release)).toEqual(['ash']);
    expect(await ids({ name_contains: '.' }, release)).toEqual([]);
    expect(await ids({ updated_after: at(6) }, release)).toEqual(['fir', 'elm']);
    expect(await ids({ updated_after: at(5), updated_before: at(7) }, release)).toEqual(['ash']);
    expect(await ids({ format_ids: [{ ...banner, agent_url: `${agent.baseUrl}/` }] }, release)).toEqual(['elm', 'oak']);
    expect(await ids({ format_ids: [{ agent_url: 'https://x.example', id: '?' }] }, release)).toEqual([]);
    expect(await ids({ tags: ['wood'], name_contains: 'a', updated_before: at(7) }, release)).toEqual(['oak']);
    expect(await ids({ has_variables: true }, release)).toEqual([]);
    expect(await ids({ has_variables: false, tags: ['wood'] }, release)).toEqual(['fir', 'oak']);
  });

  it('kinds are those of the release, which 3.0 has none of', async () => {
    expect(await ids({ format_kinds: ['image'] }, '3.1')).toEqual(['elm', 'oak']);
    expect(await ids({ format_kinds: ['image', 'video_hosted'] }, '3.2')).toEqual(['fir', 'elm', 'oak']);
    expect(await ids({ format_kinds: ['image'], format_ids: [film] }, '3.2')).toEqual([]);
    expect(await ids({ format_kinds: ['sponsored_placement'] }, '3.2')).toEqual([]);
  });

  it.each([
    ['created_date', ['oak', 'elm', 'fir', 'ash']],
    ['updated_date', ['oak', 'ash', 'fir', 'elm']],
    ['name', ['ash', 'fir', 'oak', 'elm']],
  ] as const)('are told by %s, either way, page by page', async (field, order) => {
    for (const direction of ['asc', 'desc'] as const) {
      const wanted = direction === 'asc' ? [...order] : order.toReversed();
      const sort = { field, direction };
      const { creatives, query_summary } = await list({ filters: { statuses }, sort });
      expect(creatives.map(({ creative_id }) => creative_id)).toEqual(wanted);
      expect(query_summary).toEqual({ sort_applied: sort, total_matching: 4, returned: 4 });
      const found = await walked({ filters: { statuses, name_contains: 'A' }, sort }, 1);
      expect(found).toEqual(wanted.filter((id) => id !== 'elm'));
    }
    expect(await ids({ updated_after: at(5) }, '3.1', { sort: { field, direction: 'asc' } })).toEqual(
      order.filter((id) => id !== 'oak'),
    );
  });

  /** All pages; each tells the same total. */
  async function walked(asked: Json, max_results: number): Promise<string[]> {
    const seen: string[] = [];
    const totals = new Set<unknown>();
    let cursor: string | undefined;
    do {
      const page = await list({ ...asked, pagination: { max_results, ...(cursor !== undefined && { cursor }) } });
      expect(page.creatives.length).toBeLessThanOrEqual(max_results);
      seen.push(...page.creatives.map(({ creative_id }) => creative_id));
      totals.add(page.pagination.total_count);
      cursor = page.pagination.cursor;
    } while (cursor !== undefined);
    expect([...totals]).toEqual([seen.length]);
    return seen;
  }

  it('[T5.total] pages over many tell each once and the exact total, and none where it is only known to be higher', async () => {
    const fifths = Array.from({ length: MANY / 5 }, (_, i) => `m${MANY - 5 - i * 5}`);
    expect(await walked({ filters: { tags: ['fifth'] }, include_assignments: false }, 90)).toEqual(fifths);
    const { pagination, query_summary } = await list({ filters: { name_contains: 'leaf' } });
    expect(pagination).toEqual({ has_more: true, cursor: expect.any(String) as unknown });
    // There must be one, and it says that it is not exact.
    expect(query_summary).toMatchObject({ total_matching: 1_000, total_relation: 'gte' });
  });

  it('assigned is what a package of a media buy that is not over names, whether it is to be or not', async () => {
    const sample = agent.core.runtime.tasks.get('sync_creatives')?.examples[0]?.input as { creatives: Json[] };
    const creatives = ['used', 'idle'].map((creative_id) => ({ ...sample.creatives[0], creative_id, tags: ['own'] }));
    const account = accountOf('acme.example');
    const synced = { adcp_version: '3.1', account, idempotency_key: randomUUID(), creatives };
    expect(bodyOf(await callPublic(agent, 'sync_creatives', synced))).toMatchObject({ status: 'completed' });
    const line = { ...(await packageForSale(agent)), creative_assignments: [{ creative_id: 'used' }] };
    const order = { adcp_version: '3.1', ...orderOf(line) };
    const { media_buy_id } = bodyOf(await callPublic(agent, 'create_media_buy', order));
    const own = async (unassigned: boolean, more: Json = {}) =>
      (await list({ filters: { tags: ['own'], unassigned }, ...more })).creatives.map((one) => one.creative_id);
    for (const more of [{}, { account }]) {
      expect(await own(false, more)).toEqual(['used']);
      expect(await own(true, more)).toEqual(['idle']);
    }
    const over = { account, media_buy_id, canceled: true, idempotency_key: randomUUID() };
    await callPublic(agent, 'update_media_buy', { adcp_version: '3.1', ...over });
    expect((await own(true)).toSorted()).toEqual(['idle', 'used']);
  });
});
