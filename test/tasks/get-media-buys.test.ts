import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { sampleCreative } from '../sales/support/sample-creative.ts';
import type { TaskId } from '../../src/platform/task-id.ts';
import { organizationId, taskId } from '../support/ids.ts';
import { openReceiver } from '../webhooks/support/open-receiver.ts';
import type { Receiver } from '../webhooks/support/open-receiver.ts';
import { until } from '../support/until.ts';
import { call, makeBuy, refusal, result, settled, STRANGER } from './support/calls.ts';
import type { Json } from './support/calls.ts';

let agent: TestAgent;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await openReceiver();
  agent = await startTestAgent('sqlite');
  const format_id = { agent_url: agent.baseUrl, id: 'display_300x250' };
  const mine = { organization_id: organizationId('org_demo_buyer'), creative_id: 'banner', format_id };
  await agent.core.sales.creatives.insert(sampleCreative(mine));
});
afterAll(async () => {
  await agent.stop();
  await receiver.close();
});

const buysOf = async (input: Json, caller?: typeof STRANGER) =>
  (await result(agent, 'get_media_buys', input, caller)) as { media_buys: Json[]; has_more: boolean; cursor?: string };
const idsOf = ({ media_buys }: { media_buys: Json[] }) => media_buys.map(({ media_buy_id }) => media_buy_id);

describe('get_media_buys', () => {
  it('[B9] shows a buy with packages, valid_actions, history, impairments and health, and no activity unasked', async () => {
    const { media_buy_id } = await makeBuy(agent);
    await result(agent, 'update_media_buy', { media_buy_id, updates: { status: 'paused' } });
    const { media_buys } = await buysOf({ media_buy_ids: [media_buy_id] });
    expect(media_buys).toHaveLength(1);
    expect(media_buys[0]).toMatchObject({
      media_buy_id,
      status: 'paused',
      revision: 3,
      health: 'ok',
      impairments: [],
      history: [
        { action: 'created', actor: 'buyer', to_status: 'pending' },
        { action: 'paused', actor: 'buyer', from_status: 'pending', to_status: 'paused' },
      ],
    });
    expect(media_buys[0]?.['valid_actions']).not.toContain('pause');
    expect(media_buys[0]?.['packages']).toHaveLength(2);
    expect(media_buys[0]).not.toHaveProperty('webhook_activity');
  });

  it('[B9.valid-actions] lists resume for a paused buy exactly when it would be taken', async () => {
    const { media_buy_id, packages } = await makeBuy(agent);
    const update = (updates: Json) => result(agent, 'update_media_buy', { media_buy_id, updates });
    const actions = async () => (await buysOf({ media_buy_ids: [media_buy_id] })).media_buys[0]?.['valid_actions'];
    const resume = { media_buy_id, updates: { status: 'active' } };
    await update({ status: 'paused' });
    expect(await actions()).not.toContain('resume');
    expect(await refusal(agent, 'update_media_buy', resume)).toMatchObject({ code: 'INVALID_STATE' });
    await update({ packages: packages.map(({ package_id }) => ({ package_id, creative_ids: ['banner'] })) });
    expect(await actions()).toContain('resume');
    expect(await result(agent, 'update_media_buy', resume)).toMatchObject({ status: 'active' });
    expect(await actions()).not.toContain('resume');
  });

  it('[B9] filters by ids, status and buyer_ref, alone and together', async () => {
    const buyer_ref = `ref-${randomUUID()}`;
    const one = await makeBuy(agent, { buyer_ref });
    const other = await makeBuy(agent);
    await result(agent, 'update_media_buy', { media_buy_id: other.media_buy_id, updates: { status: 'canceled' } });
    const media_buy_ids = [one.media_buy_id, other.media_buy_id];
    expect(idsOf(await buysOf({ buyer_ref }))).toEqual([one.media_buy_id]);
    expect(idsOf(await buysOf({ media_buy_ids, status: 'canceled' }))).toEqual([other.media_buy_id]);
    expect(idsOf(await buysOf({ media_buy_ids, status: ['canceled', 'pending'] }))).toHaveLength(2);
    expect(idsOf(await buysOf({ status: 'canceled', buyer_ref }))).toEqual([]);
    expect(idsOf(await buysOf({ status: ['pending'], buyer_ref: [buyer_ref, 'x'] }))).toEqual([one.media_buy_id]);
  });

  it('[B8] pages by limit and cursor through every buy once; has_more and cursor come together', async () => {
    const made: unknown[] = [];
    for (let i = 0; i < 5; i++) made.push((await makeBuy(agent)).media_buy_id);
    for (const filter of [{}, { media_buy_ids: made }]) {
      const seen: unknown[] = [];
      let cursor: string | undefined;
      do {
        const page = await buysOf({ ...filter, limit: 2, ...(cursor !== undefined && { cursor }) });
        expect(page.has_more).toBe(page.cursor !== undefined);
        seen.push(...idsOf(page));
        cursor = page.cursor;
      } while (cursor !== undefined);
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen).toEqual(expect.arrayContaining(made));
    }
    expect(await refusal(agent, 'get_media_buys', { cursor: 'nonsense' })).toMatchObject({ field: 'cursor' });
    expect(await refusal(agent, 'get_media_buys', { limit: 101 })).toMatchObject({ field: 'limit' });
  });

  it('[B9] shows the webhooks of all the tasks about a buy when asked, most recent first', async () => {
    const push_notification_config = { url: receiver.url('/hook?secret=1'), operation_id: 'op' };
    const { media_buy_id } = await makeBuy(agent, { push_notification_config });
    const update = { media_buy_id, updates: { status: 'paused' }, push_notification_config };
    const task = await call(agent, 'update_media_buy', update);
    const activity = async () => {
      const { media_buys } = await buysOf({ media_buy_ids: [media_buy_id], include_webhook_activity: true });
      return media_buys[0]?.['webhook_activity'] as {
        status: string;
        timestamp: string;
        task_type: string;
        url: string;
      }[];
    };
    await until(async () => (await activity()).filter(({ status }) => status === 'success').length === 4);
    const fires = await activity();
    expect(new Set(fires.map(({ task_type }) => task_type))).toEqual(new Set(['create_media_buy', 'update_media_buy']));
    expect(fires.every(({ url }) => !url.includes('secret'))).toBe(true);
    expect(fires.map(({ timestamp }) => timestamp)).toEqual(
      fires
        .map(({ timestamp }) => timestamp)
        .sort()
        .reverse(),
    );
    expect(task.state).toBe('completed');
  });

  it('[B13] [T5] another’s buy is as unknown as one that never was', async () => {
    const { media_buy_id } = await makeBuy(agent);
    const input = { media_buy_ids: [media_buy_id] };
    expect(await refusal(agent, 'get_media_buys', input, STRANGER)).toMatchObject({
      code: 'MEDIA_BUY_NOT_FOUND',
      field: 'media_buy_ids[0]',
    });
    expect((await buysOf({}, STRANGER)).media_buys).toEqual([]);
  });

  it('[B9] is impaired exactly while a creative that serves an active buy is out', async () => {
    const buy = await makeBuy(agent);
    const packages = buy.packages.map(({ package_id }) => ({ package_id, creative_ids: ['banner'] }));
    await result(agent, 'update_media_buy', { media_buy_id: buy.media_buy_id, updates: { packages } });
    const health = async () => (await buysOf({ media_buy_ids: [buy.media_buy_id] })).media_buys[0];
    const { creatives } = agent.core.sales;
    const effects_due_at = new Date(0).toISOString();
    await creatives.update('org_demo_buyer/banner', (row) => ({ ...row, status: 'suspended', effects_due_at }));
    await until(async () => (await health())?.['health'] === 'impaired');
    expect((await health())?.['impairments']).toMatchObject([
      { resource_id: 'banner', package_ids: packages.map((p) => p.package_id) },
    ]);
    await creatives.update('org_demo_buyer/banner', (row) => ({ ...row, status: 'approved', effects_due_at }));
    await until(async () => (await health())?.['health'] === 'ok');
  });
});

describe('the tasks about tasks', () => {
  it('[T4] get_task_status tells a task as it stands, its response or its error', async () => {
    const { task_id } = await makeBuy(agent);
    expect(await result(agent, 'get_task_status', { task_id: String(task_id) })).toMatchObject({
      task_id,
      task_type: 'create_media_buy',
      status: 'completed',
      result: { status: 'pending', task_id },
    });
    const lost = { code: 'TASK_NOT_FOUND', field: 'task_id' };
    expect(await refusal(agent, 'get_task_status', { task_id: 'nope' })).toMatchObject(lost);
    expect(await refusal(agent, 'get_task_status', { task_id: String(task_id) }, STRANGER)).toMatchObject(lost);
  });

  it('[T4] [B8] list_tasks filters and pages, and shows the caller’s own alone', async () => {
    const { task_id } = await makeBuy(agent);
    await settled(agent, taskId(String(task_id)));
    const page = await result(agent, 'list_tasks', { task_type: 'create_media_buy', status: 'completed', limit: 1 });
    expect(page).toMatchObject({ tasks: [{ task_id, status: 'completed' }], has_more: true });
    expect(page['cursor']).toEqual(expect.any(String));
    const next = await result(agent, 'list_tasks', {
      ...{ task_type: 'create_media_buy', status: 'completed', limit: 1 },
      cursor: page['cursor'],
    });
    expect((next['tasks'] as Json[])[0]?.['task_id']).not.toBe(task_id);
    expect(await result(agent, 'list_tasks', { task_type: 'create_media_buy' }, STRANGER)).toMatchObject({ tasks: [] });
  });

  it('[T8] [B8] list_tasks leaves out tasks that only read, on every page, unless they are asked for', async () => {
    const reader = { ...STRANGER, organization_id: organizationId('org_reader') };
    const made: TaskId[] = [];
    for (let i = 0; i < 3; i++) {
      made.push(
        (await call(agent, 'sync_creatives', { creatives: [{ creative_id: 'c' }], dry_run: true }, reader)).task_id,
      );
      for (const read of ['get_products', 'list_creatives', 'get_media_buys']) await call(agent, read, {}, reader);
    }
    const pages = async (input: Json) => {
      const found: Json[] = [];
      for (let page: Json = {}; found.length === 0 || page['has_more'] === true;) {
        const { cursor } = page;
        page = await result(
          agent,
          'list_tasks',
          { ...input, limit: 2, ...(cursor !== undefined && { cursor }) },
          reader,
        );
        expect(page['has_more']).toBe(page['cursor'] !== undefined);
        found.push(page);
      }
      const rows = found.flatMap((page) => page['tasks'] as Json[]);
      return {
        ids: rows.map(({ task_id }) => task_id),
        types: rows.map(({ task_type }) => task_type),
        first: found[0],
      };
    };
    const listed = await pages({});
    expect(listed.ids).toEqual(made.toReversed());
    expect(listed.first).toMatchObject({ total: 3, has_more: true });
    const some = await pages({ task_type: 'get_products' });
    expect(some.types).toEqual(['get_products', 'get_products', 'get_products']);
    const { types, ids } = await pages({ include_reads: true });
    expect(ids).toEqual(expect.arrayContaining(made));
    expect(types.filter((type) => type === 'get_media_buys')).toHaveLength(3);
  });

  it('[T8] get_task_status finds a task that only read, and its row goes an hour later', async () => {
    const run = await call(agent, 'list_creative_formats', {});
    expect(await result(agent, 'get_task_status', { task_id: run.task_id })).toMatchObject({ status: 'completed' });
    expect(Date.parse(run.expires_at ?? '') - Date.parse(run.updated_at)).toBe(3_600_000);
  });

  it('get_agent_capabilities tells every task, the granularities, and windows within the limits', async () => {
    const told = await result(agent, 'get_agent_capabilities', {});
    expect(told['tasks']).toEqual([...agent.core.runtime.tasks.keys()]);
    expect(told).toMatchObject({
      protocol: { name: 'proto' },
      reporting_capabilities: { windowed_pull_granularities: ['hourly', 'daily', 'monthly'] },
      coalescence_windows: { impairment_general_seconds: 60, impairment_latency_sensitive_seconds: 0 },
    });
  });
});
