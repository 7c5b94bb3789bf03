import { afterAll, beforeAll, expect, it } from 'vitest';
import { send, taskOf } from '../journeys/support/buyer.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { describeOnStores } from '../support/stores.ts';
import { bodyOf, callPublic, schemaErrors } from './support/public-call.ts';

describeOnStores('[D1] list_tasks on %s', (store) => {
  let at: TestAgent;
  beforeAll(async () => {
    at = await startTestAgent(store, { working: false });
  });
  afterAll(() => at.stop());

  const release = '3.1';
  const listed = async (parameters: Record<string, unknown>) => {
    const body = bodyOf(await callPublic(at, 'list_tasks', { adcp_version: release, ...parameters }));
    expect(schemaErrors('list_tasks', release, body)).toEqual([]);
    expect(body['adcp_error'], JSON.stringify(body)).toBeUndefined();
    const { tasks, query_summary, pagination } = body as unknown as {
      tasks: { task_id: string; created_at: string }[];
      query_summary: { total_matching: number; sort_applied: unknown };
      pagination: { cursor?: string };
    };
    return { ids: tasks.map(({ task_id }) => task_id), tasks, query_summary, pagination };
  };
  let [first, second, over] = ['', '', ''];
  beforeAll(async () => {
    const ids: string[] = [];
    for (let i = 0; i < 2; i++) {
      const input = at.core.runtime.tasks.get('sync_creatives')?.examples[0]?.input as { creatives: unknown[] };
      ids.push(taskOf(await send(at, 'sync_creatives', { ...input, context: { i } })).id);
    }
    [first = '', second = ''] = ids;
    over = (await callPublic(at, 'get_products', { adcp_version: release, buying_mode: 'refine' })).id;
  });

  it.each([['submitted'], ['working'], ['submitted', 'working'], ['working', 'failed', 'unknown']])(
    'finds work that is not over by %s %s %s, as one',
    async (...statuses) => {
      const { ids, query_summary } = await listed({ filters: { statuses }, pagination: { max_results: 100 } });
      expect(ids.slice(0, 2)).toEqual([second, first]);
      expect(query_summary.sort_applied).toEqual({ field: 'created_at', direction: 'desc' });
      expect(ids).not.toContain(over);
    },
  );

  it('finds by several types, by ids, and by times, in the order asked for, and goes on behind a page', async () => {
    const task_types = ['create_media_buy', 'sync_creatives'];
    expect((await listed({ filters: { task_types } })).ids.slice(0, 2)).toEqual([second, first]);
    expect((await listed({ filters: { task_types: ['create_media_buy', 'update_media_buy'] } })).ids).toEqual([]);
    const filters = { task_ids: [second, over, first, 'none'] };
    const oldest = { filters, sort: { field: 'created_at', direction: 'asc' } };
    expect((await listed(oldest)).ids).toEqual([first, second, over]);
    const page = await listed({ ...oldest, pagination: { max_results: 2 } });
    expect([page.ids, page.query_summary.total_matching]).toEqual([[first, second], 3]);
    const { cursor } = page.pagination;
    expect((await listed({ ...oldest, pagination: { max_results: 2, cursor } })).ids).toEqual([over]);
    const [{ created_at } = { created_at: '' }] = (await listed({ filters: { task_ids: [first] } })).tasks;
    for (const sort of [{ field: 'created_at' }, { field: 'updated_at', direction: 'asc' }]) {
      expect((await listed({ filters: { created_before: created_at }, sort })).ids).not.toContain(first);
      const since = { filters: { created_after: created_at, updated_before: '2999-01-01T00:00:00Z' }, sort };
      const { ids } = await listed({ ...since, pagination: { max_results: 100 } });
      expect(ids).not.toContain(first);
    }
    const { ids } = await listed({ filters: { updated_after: created_at, task_types }, sort: { field: 'created_at' } });
    expect(ids).toContain(first);
  });

  it.each([
    ['account', { brand: { domain: 'acme.example' }, operator: 'agency.example' }],
    ['include_history', true],
  ])('[D4.refused] refuses %s by name, which would show other rows or more of them', async (field, value) => {
    const asked = { adcp_version: release, [field]: value };
    const body = bodyOf(await callPublic(at, 'list_tasks', asked));
    expect(body).toMatchObject({ adcp_error: { code: 'UNSUPPORTED_FEATURE', field } });
    expect((await listed({ include_history: false })).ids).toContain(first);
  });

  it('finds nothing of other protocols or of a status that none has, and refuses orders and filters it does not have', async () => {
    expect((await listed({ filters: { protocols: ['media-buy', 'signals'] } })).ids).toContain(first);
    expect(await listed({ filters: { protocols: ['signals'] } })).toMatchObject({
      ...{ ids: [], query_summary: { total_matching: 0 } },
    });
    expect((await listed({ filters: { protocol: 'signals', task_ids: [first] } })).ids).toEqual([]);
    expect((await listed({ filters: { statuses: ['unknown'] } })).ids).toEqual([]);
    for (const [field, wanted, parameters] of [
      ['sort.field', 'INVALID_REQUEST', { sort: { field: 'task_type' } }],
      ['filters.has_webhook', 'INVALID_REQUEST', { filters: { has_webhook: true } }],
      ['filters.statuses', 'VALIDATION_ERROR', { filters: { statuses: ['soon'] } }],
      // In the year 10000 of UTC, whose texts sort before all there are.
      ['filters.created_before', 'VALIDATION_ERROR', { filters: { created_before: '9999-12-31T23:59:59-01:00' } }],
    ] as const) {
      const body = bodyOf(await callPublic(at, 'list_tasks', { adcp_version: release, ...parameters }));
      const { code, field: told } = body['adcp_error'] as { code: string; field: string };
      expect([code, told.startsWith(field)], told).toEqual([wanted, true]);
    }
  });
});
