import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeRunning } from '../../src/main/process/running-file.ts';
import { operatorKey } from '../../src/main/wiring/operator-routes.ts';
import { cutOffAdServer, insertWaitingBuy } from '../admin/support/waiting-order.ts';
import { bundle } from '../support/bundle.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { mediaBuyId, taskId } from '../support/ids.ts';
import { runCli } from './support/cli.ts';

let agent: TestAgent;
let entry: string;

beforeAll(async () => {
  agent = await startTestAgent('sqlite', { working: false });
  const operator_key = await operatorKey(agent.core);
  await writeRunning(agent.core.config.dataDir, { pid: process.pid, base_url: agent.baseUrl, operator_key });
  entry = await bundle('src/main/agent.ts');
});
afterAll(() => agent.stop());

const run = (...args: string[]) => runCli(entry, ['orders', ...args], { DATA_DIR: agent.core.config.dataDir });

describe('npm run agent -- orders', () => {
  it('lists what waits and why, shows one, pushes, looks, gives up and tells of drift', async () => {
    const { courier, adOrders } = agent.core.sales;
    const first = await insertWaitingBuy(agent.core, { media_buy_id: mediaBuyId('mb_1'), task_id: taskId('task_1') });
    await courier.tell(first.media_buy_id, { inHand: true });
    expect((await run('list')).stdout).toBe('ad server  default: answers\nwaiting    0\n\nNothing waits.\n');
    const pushed = await run('push', 'mb_1');
    expect(pushed).toMatchObject({ status: 0, stderr: '' });
    expect(pushed.stdout).toMatch(/^held +version 2, held\nwaits with +nothing$/m);

    const since = await cutOffAdServer(agent.core);
    const next = await insertWaitingBuy(agent.core, { media_buy_id: mediaBuyId('mb_2'), task_id: taskId('task_2') });
    await courier.tell(next.media_buy_id, { inHand: true });
    const list = await run('list');
    expect(list.stdout).toContain(`default: cannot be reached since ${since}, probed next at 2999-`);
    expect(list.stdout).toMatch(
      /^MEDIA BUY +STATUS +WAITS WITH +SINCE +TRIES +NEXT TRY +WHY\nmb_2 +pending +hold +\S+Z +0 /m,
    );
    const shown = await run('show', 'mb_2');
    for (const text of ['task_2', 'waits with', '"advertiser"']) expect(shown.stdout).toContain(text);

    expect(await run('give-up', 'mb_2')).toMatchObject({ status: 2 });
    expect((await run('give-up', 'mb_2', '--reason', 'gone')).stdout).toMatch(/^waits with +end, given up since/m);
    const forced = await run('give-up', 'mb_2', '--reason', 'gone', '--force', '--json');
    expect(JSON.parse(forced.stdout)).toMatchObject({ media_buy_id: 'mb_2', status: 'canceled' });
    const refused = await run('give-up', 'mb_1', '--reason', 'gone');
    expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('nothing to give up') as string });

    expect((await run('drift')).stdout).toBe('All stands as it was told.\n');
    await adOrders.update(mediaBuyId('mb_1'), (row) => ({
      ...row,
      drift_since: since,
      differences: [{ pointer: '/lines/0/name', ours: 'a', theirs: 'b' }],
    }));
    expect((await run('drift')).stdout).toContain(`mb_1       ${since}  /lines/0/name: told "a", is "b"`);
    expect((await run('look')).stdout).toBe('To be looked at now: 1\n');
    expect(await run('look', 'mb_9')).toMatchObject({ status: 1, stderr: 'no media buy has the id mb_9\n' });
  });
});
