import { randomUUID } from 'node:crypto';
import { afterAll, expect, it } from 'vitest';
import { readConfig } from '../../src/main/config/config.ts';
import { addressBook } from '../../src/main/process/known-address.ts';
import { startServer } from '../../src/main/wiring/start-server.ts';
import { createLogger } from '../../src/platform/log.ts';
import { AdOrderRecords } from '../../src/adservers/simulator/order-row.ts';
import { MediaBuys } from '../../src/sales/media-buy/media-buys.ts';
import { createGate } from '../runtime/support/gate.ts';
import { until } from '../support/until.ts';
import { openReceiver } from '../webhooks/support/open-receiver.ts';
import { eventsOf, mediaBuyInput, post, send, taskOf } from './support/buyer.ts';
import { startTestAgent } from './support/test-agent.ts';
import { describeOnStores } from '../support/stores.ts';

const cleanUp: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

describeOnStores('on %s', (store) => {
  it('[T1] a cancel at another server in the middle of the work stops it and gives the reserved inventory back', async () => {
    const agent = await startTestAgent(store);
    cleanUp.push(() => agent.stop());
    const { PUBLIC_URL: _own, ...env } = agent.env;
    const config = readConfig(env, { allowLoopback: true });
    const other = await startServer(config, createLogger(config.logLevel));
    cleanUp.push(() => other.stop());
    // As with two servers behind one name, whose workers go on when another comes.
    await addressBook(agent.core.store).say(agent.baseUrl);
    const receiver = await openReceiver();
    cleanUp.push(() => receiver.close());
    const gate = createGate();
    const { adServer } = agent.core.sales;
    let media_buy_id = '';
    const put = adServer.put.bind(adServer);
    adServer.put = async (order) => {
      media_buy_id = order.media_buy_id;
      const answer = await put(order);
      await gate.pass();
      return answer;
    };

    const push_notification_config = { url: receiver.url(), operation_id: `op-${randomUUID()}` };
    const { id } = taskOf(await send(agent, 'create_media_buy', mediaBuyInput(agent, { push_notification_config })));
    await gate.reached;
    const orders = agent.core.store.collection(AdOrderRecords);
    expect((await orders.get(media_buy_id))?.held?.order?.state).toBe('held');
    const at = { ...agent, baseUrl: other.core.baseUrl };
    const canceled = await post(at, { jsonrpc: '2.0', id: 1, method: 'CancelTask', params: { id } });
    expect(canceled.result).toMatchObject({ id, status: { state: 'TASK_STATE_CANCELED' } });
    gate.open();

    await until(async () => (await orders.get(media_buy_id))?.held?.order?.state === 'ended');
    const buys = agent.core.store.collection(MediaBuys);
    await until(async () => (await buys.get(media_buy_id))?.held?.state === 'ended');
    expect(await buys.get(media_buy_id)).toMatchObject({ status: 'canceled', open_change: null, stop: null });
    await until(() => eventsOf(receiver.received, id).length === 2);
    expect(eventsOf(receiver.received, id).map(({ body }) => body['status'])).toEqual(['working', 'canceled']);
  });
});
