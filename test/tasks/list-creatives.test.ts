import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toTimestamp } from '../../src/platform/clock.ts';
import { ListAuthorizedPropertiesResponse } from '../../src/tasks/list-authorized-properties/schema.ts';
import { ListCreativeFormatsResponse } from '../../src/tasks/list-creative-formats/schema.ts';
import { ListCreativesResponse } from '../../src/tasks/list-creatives/schema.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { sampleCreative } from '../sales/support/sample-creative.ts';
import { BUYER, makeBuy, refusal, result, STRANGER } from './support/calls.ts';
import type { Json } from './support/calls.ts';

let agent: TestAgent;
let buy: Awaited<ReturnType<typeof makeBuy>>;
const AT = Date.parse('2026-03-02T09:00:00.000Z');

beforeAll(async () => {
  agent = await startTestAgent('sqlite');
  const library = [
    ['newest', 'approved', 'display'],
    ['film', 'approved', 'video'],
    ['blurred', 'rejected', 'display'],
    ['fresh', 'pending_review', 'display'],
    ['old', 'archived', 'display'],
  ] as const;
  for (const [i, [creative_id, status, format_type]] of library.entries()) {
    const created_at = toTimestamp(AT - i * 60_000);
    const { organization_id } = BUYER;
    const format_id = { agent_url: agent.baseUrl, id: 'display_300x250' };
    await agent.core.sales.creatives.insert(
      sampleCreative({ organization_id, creative_id, status, format_id, format_type, created_at }),
    );
  }
  buy = await makeBuy(agent);
  const packages = [{ package_id: packageId(0), creative_ids: ['newest', 'blurred'] }];
  await result(agent, 'update_media_buy', { media_buy_id: buy.media_buy_id, updates: { packages } });
});
afterAll(() => agent.stop());

function packageId(i: number): string {
  return String(buy.packages[i]?.['package_id']);
}

async function list(input: Json, caller = BUYER): Promise<ListCreativesResponse> {
  return ListCreativesResponse.parse(await result(agent, 'list_creatives', input, caller));
}

async function idsOf(filters: Json): Promise<string[]> {
  return (await list({ filters })).creatives.map(({ creative_id }) => creative_id);
}

describe('[C.tasks.lists] list_creatives', () => {
  it('lists the caller’s creatives, the newest first, and leaves archived ones out', async () => {
    const answer = await list({});
    expect(answer.creatives.map(({ creative_id }) => creative_id)).toEqual(['newest', 'film', 'blurred', 'fresh']);
    expect(answer).toMatchObject({ query_summary: { total_matching: 4, returned: 4 }, has_more: false });
    expect(answer).not.toHaveProperty('cursor');
    expect(answer.creatives[0]).toMatchObject({
      status: 'approved',
      created_date: toTimestamp(AT),
      format_id: { id: 'display_300x250' },
      assignments: {
        assignment_count: 1,
        assigned_packages: [{ package_id: packageId(0), media_buy_id: buy.media_buy_id, media_buy_status: 'pending' }],
      },
    });
    expect(answer.creatives[1]?.assignments).toEqual({ assignment_count: 0, assigned_packages: [] });
    expect(JSON.stringify(answer)).not.toContain('null');
  });

  it('filters by status, format type, ids, buys and packages, alone and together', async () => {
    expect(await idsOf({ status: ['archived', 'rejected'] })).toEqual(['blurred', 'old']);
    expect(await idsOf({ statuses: ['approved'] })).toEqual(['newest', 'film']);
    expect(await idsOf({ status: ['approved', 'rejected'], statuses: ['approved', 'archived'] })).toHaveLength(2);
    expect(await idsOf({ format_types: ['video'] })).toEqual(['film']);
    expect(await idsOf({ creative_ids: ['old', 'film'] })).toEqual(['film', 'old']);
    expect(await idsOf({ media_buy_ids: [buy.media_buy_id] })).toEqual(['newest', 'blurred']);
    expect(await idsOf({ package_ids: [packageId(1)] })).toEqual([]);
    expect(await idsOf({ package_ids: [packageId(0)], status: ['rejected'] })).toEqual(['blurred']);
    expect(await idsOf({ media_buy_ids: [buy.media_buy_id], creative_ids: ['film', 'newest'] })).toEqual(['newest']);
    expect(await idsOf({ status: [] })).toHaveLength(4);
  });

  it('leaves assignments out when they are not wanted', async () => {
    const { creatives } = await list({ include_assignments: false });
    expect(creatives.every((creative) => creative.assignments === undefined)).toBe(true);
  });

  it('[B8] pages by limit and cursor, each creative once; has_more and cursor come together', async () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await list({ limit: 1, ...(cursor !== undefined && { cursor }) });
      expect(page.has_more).toBe(page.cursor !== undefined);
      expect(page.query_summary).toEqual({ total_matching: 4, returned: 1 });
      seen.push(...page.creatives.map(({ creative_id }) => creative_id));
      cursor = page.cursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(['newest', 'film', 'blurred', 'fresh']);
    const { cursor: first } = await list({ limit: 1 });
    const other = { limit: 1, cursor: first, filters: { status: ['approved'] } };
    expect(await refusal(agent, 'list_creatives', other)).toMatchObject({ code: 'INVALID_REQUEST', field: 'cursor' });
    for (const limit of [0, 101, 1.5]) {
      expect(await refusal(agent, 'list_creatives', { limit })).toMatchObject({ field: 'limit' });
    }
  });

  it('[B13] [T5] refuses ids that are nothing of the caller’s, with every path', async () => {
    const filters = { media_buy_ids: ['mb_x'], package_ids: ['mb_x_p1', packageId(0)], creative_ids: ['film', 'zz'] };
    expect(await refusal(agent, 'list_creatives', { filters })).toMatchObject({
      code: 'MEDIA_BUY_NOT_FOUND',
      field: 'filters.media_buy_ids[0]',
      issues: [
        { pointer: '/filters/media_buy_ids/0' },
        { pointer: '/filters/package_ids/0' },
        { pointer: '/filters/creative_ids/1' },
      ],
    });
    const package_ids = [packageId(0)];
    expect(await refusal(agent, 'list_creatives', { filters: { package_ids } }, STRANGER)).toMatchObject({
      code: 'PACKAGE_NOT_FOUND',
      field: 'filters.package_ids[0]',
    });
    expect((await list({}, STRANGER)).creatives).toEqual([]);
  });

  it('names unknown filters and states', async () => {
    expect(await refusal(agent, 'list_creatives', { filters: { statu: [] } })).toMatchObject({
      field: 'filters.statu',
      suggestion: 'status',
    });
    expect(await refusal(agent, 'list_creatives', { filters: { status: ['live'] } })).toMatchObject({
      code: 'VALIDATION_ERROR',
      field: 'filters.status[0]',
    });
  });
});

describe('[C.tasks.lists] list_creative_formats', () => {
  it('answers dimensions, requirements and asset schemas', async () => {
    const input = { name_search: 'medium rectangle', asset_types: ['image'], format_types: ['display'] };
    const answer = ListCreativeFormatsResponse.parse(await result(agent, 'list_creative_formats', input));
    expect(answer.formats[0]).toMatchObject({
      format_id: { agent_url: agent.baseUrl, id: 'display_300x250' },
      dimensions: { width: 300, height: 250 },
      requirements: { secure_only: true },
      assets: { image: { kind: 'image', required: true, width: 300, height: 250, max_file_size_kb: 150 } },
    });
  });

  it('[B8] pages over the catalog', async () => {
    const all = agent.core.catalog.formats.size;
    const first = await result(agent, 'list_creative_formats', { limit: all - 1 });
    expect(first).toMatchObject({ has_more: true, total_matching: all });
    const rest = await result(agent, 'list_creative_formats', { limit: all - 1, cursor: first['cursor'] });
    expect(rest).toMatchObject({ has_more: false, total_matching: all });
    expect(rest['formats']).toHaveLength(1);
    expect(rest).not.toHaveProperty('cursor');
    const other = { limit: 1, format_types: ['audio'], cursor: first['cursor'] };
    expect(await refusal(agent, 'list_creative_formats', other)).toMatchObject({ field: 'cursor' });
  });
});

it('[C.tasks.lists] list_authorized_properties answers an empty request with domains and properties', async () => {
  const { catalog } = agent.core;
  const answer = ListAuthorizedPropertiesResponse.parse(await result(agent, 'list_authorized_properties', {}));
  expect(answer.publisher_domains).toEqual(catalog.publisher_domains);
  expect(answer.properties).toHaveLength(catalog.properties.size);
  expect(answer.properties.every(({ publisher_domain }) => answer.publisher_domains.includes(publisher_domain))).toBe(
    true,
  );
  expect(answer.advertising_policies).toContain('tobacco');
  expect(await refusal(agent, 'list_authorized_properties', { limit: 1 })).toMatchObject({ code: 'VALIDATION_ERROR' });
});
