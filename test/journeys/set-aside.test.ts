import { afterEach, expect, it } from 'vitest';
import { z } from 'zod';
import { operatorKey } from '../../src/main/wiring/operator-routes.ts';
import type { CollectionSpec } from '../../src/platform/store/collection.ts';
import { createLogger } from '../../src/platform/log.ts';
import { openStore } from '../../src/platform/store/store.ts';
import { MediaBuy } from '../../src/sales/media-buy/media-buy.ts';
import { MediaBuys } from '../../src/sales/media-buy/media-buys.ts';
import { runAgentCommand } from '../main/support/cli.ts';
import { describeOnStores } from '../support/stores.ts';
import { until } from '../support/until.ts';
import { ask, errorOf, mediaBuyInput, send } from './support/buyer.ts';
import type { Json } from './support/buyer.ts';
import { operate } from './support/operator.ts';
import { startTestAgent } from './support/test-agent.ts';
import type { TestAgent } from './support/test-agent.ts';

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

/** A release that knows one status more. */
const NewerBuy = z.object({ ...MediaBuy.shape, status: z.string() });
const { name, key, counter, version, migrations } = MediaBuys;
const declared = { name, key, counter, version, migrations, indexes: [] };
const NewerBuys = { ...declared, schema: NewerBuy } as CollectionSpec<z.infer<typeof NewerBuy>>;

/** What a process of a newer release does to a buy. */
async function setStatus({ core, env }: TestAgent, media_buy_id: string, status: string): Promise<void> {
  const logger = createLogger('silent');
  const store = await openStore({ dataDir: core.config.dataDir, mongodbUrl: env['MONGODB_URL'], logger });
  const buys = store.collection(NewerBuys);
  await store.prepare();
  await buys.update(media_buy_id, (row) => ({ ...row, status }));
  await store.close();
}

describeOnStores('on %s, a media buy that this release cannot read', (store) => {
  it('[S6] hides no other, is never "not found", and stands on the operator’s list until it can be read', async () => {
    const agent = await startTestAgent(store);
    cleanUp.push(() => agent.stop());
    const made = [
      await ask(agent, 'create_media_buy', mediaBuyInput(agent)),
      await ask(agent, 'create_media_buy', mediaBuyInput(agent)),
    ];
    const [bad = '', good] = made.map(({ media_buy_id }) => String(media_buy_id));
    const before = String((await agent.core.sales.mediaBuys.get(bad))?.status);
    await setStatus(agent, bad, 'frozen_by_a_newer_release');

    const all = (await ask(agent, 'get_media_buys', {})) as { media_buys: Json[] };
    expect(all.media_buys.map(({ media_buy_id }) => media_buy_id)).toEqual([good]);
    const asked = errorOf(await send(agent, 'get_media_buys', { media_buy_ids: [bad] }));
    expect(asked.code).toBe('INTERNAL_ERROR');
    expect(JSON.stringify(asked)).not.toContain('frozen_by');
    const changed = errorOf(
      await send(agent, 'update_media_buy', { media_buy_id: bad, updates: { status: 'paused' } }),
    );
    expect(changed.code).toBe('INTERNAL_ERROR');

    const listed = await until(async () => {
      const { body } = await operate(agent, 'GET', '/rows/set-aside');
      return (body['rows'] as Json[]).find(({ key }) => key === bad);
    });
    expect(listed).toMatchObject({ collection_name: 'media_buys', problems: [expect.stringMatching(/^status: /)] });
    expect(JSON.stringify(listed)).not.toContain('frozen_by');
    const key = await operatorKey(agent.core);
    const shown = await runAgentCommand(['rows', 'set-aside', '--url', agent.baseUrl, '--key', key], {});
    expect(shown.stdout).toMatch(/^NOTED +COLLECTION +KEY +WHAT DOES NOT FIT\n/);
    expect(shown.stdout).toContain(bad);

    await setStatus(agent, bad, before);
    expect(await ask(agent, 'get_media_buys', { media_buy_ids: [bad] })).toMatchObject({
      media_buys: [{ status: before }],
    });
  });
});

it('the operator is told when every stored row can be read', async () => {
  const agent = await startTestAgent('sqlite', { working: false });
  cleanUp.push(() => agent.stop());
  expect((await operate(agent, 'GET', '/rows/set-aside')).body).toEqual({ rows: [], has_more: false });
  const args = ['rows', 'set-aside', '--url', agent.baseUrl, '--key', await operatorKey(agent.core)];
  expect(await runAgentCommand(args, {})).toMatchObject({
    status: 0,
    stdout: 'Every stored row can be read.\n',
  });
});
