import { afterAll, beforeAll, expect, it } from 'vitest';
import { operate } from '../../journeys/support/operator.ts';
import { mediaBuyInput } from '../../journeys/support/buyer.ts';
import { buyInput } from '../../journeys/support/reports.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { runAgentCommand } from '../../main/support/cli.ts';
import { describeOnStores } from '../../support/stores.ts';
import { until } from '../../support/until.ts';
import { operatorKey } from '../../../src/main/wiring/operator-routes.ts';
import { BUYER, call, result, STRANGER } from '../../tasks/support/calls.ts';
import type { Json } from '../../tasks/support/calls.ts';

describeOnStores('what has been sold, as an operator sees it, on %s', (store) => {
  let agent: TestAgent;
  let sold: Json;
  beforeAll(async () => {
    agent = await startTestAgent(store, { env: { SIM_SPEED: '3600', APPROVAL_OVER_USD: '1000000' } });
    // Long enough for its creative to be approved meanwhile, on any machine.
    const end_time = new Date(Date.now() + 80 * 86_400_000).toISOString();
    sold = await result(agent, 'create_media_buy', buyInput(agent, { end_time }));
  });
  afterAll(() => agent.stop());

  const get = async (path: string) => {
    return (await operate(agent, 'GET', path)).body as Json;
  };
  const cli = async (...args: string[]) =>
    runAgentCommand([...args, '--url', agent.baseUrl, '--key', await operatorKey(agent.core)], {});

  it('is listed by its state and its buyer, newest first, page by page', async () => {
    const other = await result(agent, 'create_media_buy', mediaBuyInput(agent), STRANGER);
    const [first] = (await get('/media-buys?limit=1'))['media_buys'] as Json[];
    expect(first).toMatchObject({ media_buy_id: other['media_buy_id'] });
    const rows = (await get('/media-buys'))['media_buys'] as Json[];
    const ids = rows.map((row) => row['media_buy_id']);
    expect(ids.filter((id) => id === sold['media_buy_id'] || id === other['media_buy_id'])).toEqual([
      other['media_buy_id'],
      sold['media_buy_id'],
    ]);
    const states = ['active', 'pending', 'paused', 'completed'];
    const theirs = await Promise.all(
      ['all', ...states].map((state) => get(`/media-buys?status=${state}&organization_id=${STRANGER.organization_id}`)),
    );
    const own = { media_buy_id: other['media_buy_id'], organization_id: STRANGER.organization_id, packages: 2 };
    expect(theirs[0]?.['media_buys']).toMatchObject([own]);
    expect(theirs.slice(1).flatMap((page) => page['media_buys'] as Json[])).toMatchObject([own]);
    const refused = await operate(agent, 'GET', '/media-buys?status=running');
    expect(refused).toMatchObject({ status: 422, body: { error: { code: 'VALIDATION_ERROR', field: 'status' } } });
  });

  it('is shown with what each package has delivered, to the cent as the buyer is told, and day by day', async () => {
    const id = String(sold['media_buy_id']);
    const figures = (rows: Json[]) =>
      rows.map(({ package_id, impressions, spend }) => ({ package_id, impressions, spend }));
    // Between the two the ad server may state another hour.
    const over = await until(async () => {
      const shown = await get(`/media-buys/${id}`);
      const told = await result(agent, 'get_media_buy_delivery', { media_buy_ids: [id] });
      const [row] = told['media_buy_deliveries'] as [{ by_package: Json[] }];
      const same = JSON.stringify(figures(row.by_package)) === JSON.stringify(figures(shown['delivered'] as Json[]));
      return same && row.by_package.length > 0 ? shown : undefined;
    });
    const delivered = over['delivered'] as { impressions: number }[];
    const days = over['days'] as { impressions: number }[];
    const sum = (all: { impressions: number }[]) => all.reduce((so, { impressions }) => so + impressions, 0);
    expect(sum(days)).toBe(sum(delivered));
    expect(over).toMatchObject({ organization_id: BUYER.organization_id });
    await until(async () => (await get(`/media-buys/${id}`))['waits_for_ad_server'] === false);
    expect((over['history'] as Json[]).map(({ action }) => action)).toContain('created');
    expect((await get('/media-buys/mb_none'))['error']).toMatchObject({ code: 'NOT_FOUND', field: 'media_buy_id' });
  });

  it('tasks are listed by state, without what only reads, and shown without secrets', async () => {
    const config = { url: 'http://127.0.0.1:9/', operation_id: 'op', authentication: SECRET };
    const given = mediaBuyInput(agent, { push_notification_config: config });
    const run = await call(agent, 'create_media_buy', given);
    await result(agent, 'get_media_buys', {});
    const shown = await get(`/tasks/${run.task_id}`);
    expect(shown).toMatchObject({ task_type: 'create_media_buy', state: 'completed', faults: 0 });
    expect(JSON.stringify(shown)).not.toContain(SECRET.credentials);
    const { ended_at } = shown;
    expect((shown['events'] as Json[]).at(-1)).toMatchObject({ state: 'completed', at: ended_at });
    expect(shown['result']).toMatchObject({ media_buy_id: expect.any(String) as unknown });
    const { tasks } = await get('/tasks?state=completed');
    const rows = tasks as Json[];
    expect(rows.find((row) => row['task_id'] === run.task_id)).toMatchObject({ ended_at });
    expect(rows.map((row) => row['task_type'])).not.toContain('get_media_buys');
    const all = (await get('/tasks?state=all'))['tasks'] as Json[];
    expect(all.map((row) => row['task_id'])).toContain(run.task_id);
    expect(all.map((row) => row['updated_at'])).toEqual(
      all
        .map((row) => row['updated_at'])
        .toSorted()
        .toReversed(),
    );
    const theirs = await get(`/tasks?state=completed&organization_id=${STRANGER.organization_id}`);
    expect((theirs['tasks'] as Json[]).map((row) => row['organization_id'])).toEqual([STRANGER.organization_id]);
    expect((await get('/tasks/none'))['error']).toMatchObject({ code: 'NOT_FOUND', field: 'task_id' });
  });

  it('is told at a terminal, too', async () => {
    const id = String(sold['media_buy_id']);
    const shown = await cli('buys', 'show', id);
    expect(shown).toMatchObject({ status: 0, stderr: '' });
    expect(shown.stdout).toContain(`media buy  ${id}`);
    const stands = await cli('buyers', 'standing', BUYER.organization_id);
    expect(stands).toMatchObject({ status: 0, stderr: '' });
    expect(stands.stdout).toMatch(/^buys since +2/m);
    expect((await cli('buys', 'list', '--status', 'active')).stdout).toMatch(
      new RegExp(`^${id} +active .*? \\d[\\d,]*\\.\\d\\d USD `, 'm'),
    );
    const { task_id: task, start_time } = (await get(`/media-buys/${id}`)) as { task_id: string; start_time: string };
    const day = start_time.slice(0, 10);
    expect((await cli('buys', 'list', '--starts-from', day, '--starts-until', day)).stdout).toContain(id);
    expect((await cli('buys', 'list', '--starts-from', '2999-01-01')).stdout).not.toContain(id);
    const all = ['tasks', 'list', '--state', 'all', '--json'];
    expect((await cli(...all)).stdout).toContain(task);
    expect((await cli(...all, '--with-faults')).stdout).not.toContain(task);
    for (const none of ['webhooks list --answer 3xx', 'creatives list --format none --status approved'])
      expect([none, await cli(...none.split(' '))]).toMatchObject([none, { status: 0, stderr: '' }]);
    expect((await cli('tasks', 'list', '--state', 'completed', '--type', 'create_media_buy')).stdout).toContain(task);
    expect((await cli('tasks', 'show', task)).stdout).toContain('create_media_buy');
  });

  it('is canceled at a terminal by whoever types which one, and its buyer reads why; what is over is left alone', async () => {
    const { media_buy_id } = await result(agent, 'create_media_buy', mediaBuyInput(agent));
    const id = String(media_buy_id);
    const cancel = (confirm: string) => cli('buys', 'cancel', id, '--reason', 'sold twice', '--confirm', confirm);
    const before = await get(`/media-buys/${id}`);
    expect(await cancel('mb_other')).toMatchObject({ status: 1, stderr: expect.stringContaining('confirm') as string });
    expect((await get(`/media-buys/${id}`))['status']).toBe(before['status']);
    expect(await cancel(String(before['buyer_ref']))).toMatchObject({ status: 0, stderr: '' });
    const told = await until(async () => {
      const { media_buys } = await result(agent, 'get_media_buys', { media_buy_ids: [id] });
      const [row] = media_buys as [Json];
      return row['status'] === 'canceled' ? row : undefined;
    });
    expect(JSON.stringify(told)).toContain('sold twice');
    expect(told['valid_actions']).toEqual([]);
    const task = String((await get(`/media-buys/${id}`))['task_id']);
    for (const verb of [['nudge'], ['cancel', '--reason', 'too late']] as const) {
      const refused = await cli('tasks', verb[0], task, ...verb.slice(1));
      expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('the task is completed') as string });
    }
  });
});

const SECRET = { schemes: ['HMAC-SHA256'], credentials: 'a-secret-that-is-never-shown-0123456789' };
