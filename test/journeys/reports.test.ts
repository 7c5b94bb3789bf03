import { afterEach, expect, it } from 'vitest';
import { decideOnCreative } from '../../src/sales/creative/review/decide.ts';
import { organizationId } from '../support/ids.ts';
import { until } from '../support/until.ts';
import { result } from '../tasks/support/calls.ts';
import type { Json } from '../tasks/support/calls.ts';
import { judge } from '../webhooks/support/judge.ts';
import { openReceiver } from '../webhooks/support/open-receiver.ts';
import { buyInput, expectAWholeSeries, isOver, QUICK_FLIGHTS, reportsIn } from './support/reports.ts';
import { describeOnStores } from '../support/stores.ts';
import { startTestAgent } from './support/test-agent.ts';
import type { StoreKind } from './support/test-agent.ts';

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

async function open(store: StoreKind, env: Record<string, string> = {}) {
  const receiver = await openReceiver();
  cleanUp.push(() => receiver.close());
  const agent = await startTestAgent(store, { env: { ...QUICK_FLIGHTS, ...env } });
  cleanUp.push(() => agent.stop());
  return { agent, receiver };
}

describeOnStores('reports of a media buy on %s', (store) => {
  it('[W10] [C.events.7] [C.resources.envelope] arrive signed, one a day and one for all, and say what get_media_buy_delivery says', async () => {
    const { agent, receiver } = await open(store);
    const reporting_webhook = { url: receiver.url('/reports?q=1'), reporting_frequency: 'daily' };
    const { media_buy_id } = (await result(agent, 'create_media_buy', buyInput(agent, { reporting_webhook }))) as {
      media_buy_id: string;
    };
    await until(isOver(receiver));
    const final = expectAWholeSeries(reportsIn(receiver.received));
    const { keys } = (await (await fetch(`${agent.baseUrl}/.well-known/jwks.json`)).json()) as {
      keys: { kid: string; alg: string }[];
    };
    for (const received of receiver.received) {
      expect(await judge(received, keys, Date.now())).toMatchObject({ tag: 'proto/webhook-signing/v1' });
      expect(received.body).toMatchObject({ operation_id: `delivery_report_${media_buy_id}`, status: 'completed' });
    }
    const read = await result(agent, 'get_media_buy_delivery', { media_buy_id, time_granularity: 'daily' });
    const { impressions, spend, clicks } = read['delivery'] as Record<string, number>;
    expect(final.media_buy_deliveries).toMatchObject([
      { status: 'completed', totals: { impressions, spend, clicks }, by_package: [{ impressions, spend, clicks }] },
    ]);
    expect(spend).toBeGreaterThan(0);
    const shown = async () => {
      const page = await result(agent, 'get_media_buys', {
        media_buy_ids: [media_buy_id],
        include_webhook_activity: true,
      });
      return ((page['media_buys'] as Json[])[0]?.['webhook_activity'] ?? []) as Json[];
    };
    const activity = await until(async () => {
      const fires = await shown();
      return fires.every(({ status }) => status === 'success') && fires;
    });
    expect(activity.map(({ event }) => event)).toContain('final');
    expect(activity.every(({ url }) => url === receiver.url('/reports'))).toBe(true);
  });

  it('[W9] [C.states.media-buys] impairments raised before a cancel arrive before the final report, by HMAC when asked', async () => {
    const { agent, receiver } = await open(store, { IMPAIRMENT_WINDOW_SECONDS: '300', SIM_SPEED: '1' });
    const authentication = { schemes: ['HMAC-SHA256'], credentials: 'c0rrect-horse-battery-staple-0123456789' };
    const input = buyInput(agent, {
      reporting_webhook: { url: receiver.url(), reporting_frequency: 'daily', authentication },
      push_notification_config: { url: receiver.url(), operation_id: 'op', authentication },
    });
    const { media_buy_id } = (await result(agent, 'create_media_buy', input)) as { media_buy_id: string };
    const { sales } = agent.core;
    await until(async () => (await sales.mediaBuys.get(media_buy_id))?.status === 'active');
    const [line] = input['packages'] as { creatives: { creative_id: string }[] }[];
    const creative_id = line?.creatives[0]?.creative_id ?? '';
    await decideOnCreative(sales, {
      organization_id: organizationId('org_demo_buyer'),
      creative_id,
      to: 'suspended',
      reason: 'dead link',
    });
    await result(agent, 'update_media_buy', { media_buy_id, updates: { status: 'canceled' } });
    await until(isOver(receiver));
    const order = receiver.received.flatMap(({ body }) => {
      const { notification_type } = body['result'] as { notification_type?: string };
      return notification_type === undefined ? [] : [notification_type];
    });
    expect(order.filter((type) => type !== 'scheduled')).toEqual(['impairment', 'final']);
    expect(receiver.received.every(({ headers }) => headers['x-proto-signature']?.startsWith('sha256='))).toBe(true);
    expect(receiver.received.some(({ headers }) => 'signature' in headers)).toBe(false);
  });
});
