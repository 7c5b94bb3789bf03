import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { decideOnCreative } from '../../src/sales/creative/review/decide.ts';
import type { Json } from '../journeys/support/buyer.ts';
import { expectAWholeSeries, isOver, QUICK_FLIGHTS, reportsIn } from '../journeys/support/reports.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { organizationId } from '../support/ids.ts';
import { describeOnStores } from '../support/stores.ts';
import { until } from '../support/until.ts';
import { openReceiver } from '../webhooks/support/open-receiver.ts';
import type { Receiver } from '../webhooks/support/open-receiver.ts';
import { bodyOf, callPublic, schemaErrors, webhookErrors } from './support/public-call.ts';
import type { Release } from './support/public-call.ts';

/** Of a buy that is to be live still when something happens to it, though its flight goes by fast. */
const longFlight = () => ({ end_time: new Date(Date.now() + 80 * 86_400_000).toISOString() });
const ACCOUNT = { brand: { domain: 'acme.example' }, operator: 'agency.example' };

describeOnStores('reports of the public protocol on %s', (store) => {
  let at: TestAgent;
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await openReceiver();
    at = await startTestAgent(store, { env: { ...QUICK_FLIGHTS } });
  });
  afterAll(async () => {
    await at.stop();
    await receiver.close();
  });

  /** Books what the agent's own example books, with its creative. */
  async function book(
    adcp_version: string,
    more: Json,
    name = adcp_version,
  ): Promise<{ media_buy_id: string; creative_id: string }> {
    const example = at.core.runtime.tasks.get('create_media_buy')?.examples[1]?.input as { packages: Line[] };
    const packages = example.packages.map(({ product_id, pricing_option_id, budget, bid_price, creatives }) => ({
      ...{ product_id, pricing_option_id, budget, ...(bid_price !== undefined && { bid_price }) },
      creatives: creatives.map((one) => ({ ...one, creative_id: `${one.creative_id}-${name}` })),
    }));
    const made = bodyOf(
      await callPublic(at, 'create_media_buy', {
        ...{ adcp_version, brand: { domain: 'acme.example' }, idempotency_key: randomUUID(), packages },
        account: ACCOUNT,
        ...{ start_time: 'asap', end_time: new Date(Date.now() + 3 * 86_400_000).toISOString() },
        ...more,
      }),
    );
    const [line] = packages;
    return { media_buy_id: String(made['media_buy_id']), creative_id: line?.creatives[0]?.creative_id ?? '' };
  }

  it('[D5.reports] [D4.sandbox] arrive one a day and one for all, priced, valid by the official schemas, and say what get_media_buy_delivery says', async () => {
    const reporting_webhook = {
      ...{ url: receiver.url('/reports'), reporting_frequency: 'daily' },
      requested_metrics: ['clicks', 'viewability'],
    };
    const account = { ...ACCOUNT, sandbox: true };
    const { media_buy_id } = await book('3.1', { reporting_webhook, account });
    await until(isOver(receiver));
    const reports = reportsIn(receiver.received);
    const final = expectAWholeSeries(reports);
    for (const { body } of receiver.received) {
      expect(webhookErrors('3.1', body)).toEqual([]);
      expect(body).toMatchObject({ task_type: 'media_buy_delivery', protocol: 'media-buy', status: 'completed' });
      expect(body).not.toHaveProperty('domain');
      expect(body['result']).toMatchObject({ sandbox: true });
    }
    const asked = { adcp_version: '3.1', media_buy_ids: [media_buy_id] };
    const read = bodyOf(await callPublic(at, 'get_media_buy_delivery', asked));
    const [row] = read['media_buy_deliveries'] as { totals: Json; by_package: Json[] }[];
    const { impressions, spend, clicks } = row?.totals as Record<string, number>;
    expect(final.media_buy_deliveries).toEqual([
      {
        ...{ media_buy_id, status: 'completed', is_adjusted: false },
        totals: { impressions, spend, clicks },
        by_package: row?.by_package.map(({ cpm: _cpm, ctr: _ctr, ...counted }) => counted),
      },
    ]);
    expect(spend).toBeGreaterThan(0);

    // What was fired, and what each package has delivered, stand with the buy for those who ask.
    const buyOf = async (adcp_version: Release, more: Json) => {
      const parameters = { adcp_version, media_buy_ids: [media_buy_id], ...more };
      const body = bodyOf(await callPublic(at, 'get_media_buys', parameters));
      expect(schemaErrors('get_media_buys', adcp_version, body)).toEqual([]);
      return (body['media_buys'] as { webhook_activity?: Json[]; packages: Json[] }[])[0];
    };
    const shown = await buyOf('3.1', { include_webhook_activity: true, include_snapshot: true });
    const fired = shown?.webhook_activity ?? [];
    expect(fired[0]).toMatchObject({
      notification_type: 'final',
      status: 'success',
      http_status_code: 204,
      attempt: 1,
    });
    expect(fired.map(({ idempotency_key }) => idempotency_key).toSorted()).toEqual(
      receiver.received.map(({ body }) => body['idempotency_key']).toSorted(),
    );
    expect(fired.at(-1)).toMatchObject({ notification_type: 'scheduled', sequence_number: 1 });
    const snapshots = shown?.packages.map(({ package_id, snapshot }) => ({ package_id, ...(snapshot as Json) }));
    expect(snapshots).toEqual(
      row?.by_package.map(
        ({ package_id, impressions, spend, clicks, currency }) =>
          expect.objectContaining({
            package_id,
            impressions,
            spend,
            clicks,
            currency,
            staleness_seconds: 0,
          }) as unknown,
      ),
    );
    const least = await buyOf('3.2', { include_webhook_activity: true, webhook_activity_limit: 1 });
    expect(least?.webhook_activity).toEqual(fired.slice(0, 1));
    expect(least?.packages.some((one) => 'snapshot' in one)).toBe(false);
    expect(await buyOf('3.0', { include_webhook_activity: true })).not.toHaveProperty('webhook_activity');
  });

  it('[D5.reports] what impairs a media buy is told to the webhook of the task that made it, and to none of 3.0', async () => {
    receiver.received.length = 0;
    const organization_id = organizationId('org_demo_buyer');
    let suspended = '';
    for (const release of ['3.0', '3.1']) {
      const config = { url: receiver.url(`/${release}`), operation_id: `op-${release}` };
      const { media_buy_id, creative_id } = await book(release, { push_notification_config: config, ...longFlight() });
      const { sales } = at.core;
      await until(async () => (await sales.mediaBuys.get(media_buy_id))?.status === 'active');
      const account_id = (await sales.mediaBuys.get(media_buy_id))?.account_id;
      await decideOnCreative(sales, { organization_id, account_id, creative_id, to: 'suspended', reason: 'dead link' });
      suspended = creative_id;
    }
    const impairments = () => receiver.received.filter(({ body }) => body['notification_id'] !== undefined);
    const [told] = await until(() => Promise.resolve(impairments().length > 0 && impairments()));
    expect(told?.path).toBe('/3.1');
    expect(told?.body).toMatchObject({
      ...{ task_type: 'media_buy_delivery', operation_id: 'op-3.1' },
      result: {
        ...{ notification_type: 'impairment', health: 'impaired' },
        impairment: { resource_type: 'creative', resource_id: suspended, transition: { to: 'suspended' } },
      },
    });
    expect(told?.body['result']).not.toHaveProperty('buyer_ref');
    const untold = async () =>
      (await at.core.sales.impairments.find({ where: { untold_since: { gt: '' } }, limit: 10 })).rows;
    await until(async () => (await untold()).length === 0);
    expect(impairments().every(({ path }) => path === '/3.1')).toBe(true);
  });

  it('[D5.reports] what impairs a media buy made in 3.0 is told to its reporting webhook where that is of a later release', async () => {
    receiver.received.length = 0;
    const organization_id = organizationId('org_demo_buyer');
    const config = { url: receiver.url('/made') };
    const { media_buy_id, creative_id } = await book(
      '3.0',
      { push_notification_config: config, ...longFlight() },
      'both',
    );
    const { sales } = at.core;
    await until(async () => (await sales.mediaBuys.get(media_buy_id))?.status === 'active');
    const reporting_webhook = { url: receiver.url('/reports'), reporting_frequency: 'daily' };
    const change = {
      adcp_version: '3.1',
      account: ACCOUNT,
      media_buy_id,
      reporting_webhook,
      idempotency_key: randomUUID(),
    };
    expect(bodyOf(await callPublic(at, 'update_media_buy', change))).toMatchObject({ status: 'completed' });
    const account_id = (await sales.mediaBuys.get(media_buy_id))?.account_id;
    await decideOnCreative(sales, { organization_id, account_id, creative_id, to: 'suspended', reason: 'dead link' });
    const impairments = () => receiver.received.filter(({ body }) => body['notification_id'] !== undefined);
    const [told] = await until(() => Promise.resolve(impairments().length > 0 && impairments()));
    expect(webhookErrors('3.1', told?.body)).toEqual([]);
    expect(told?.body).toMatchObject({
      task_type: 'media_buy_delivery',
      result: { notification_type: 'impairment', impairment: { resource_id: creative_id } },
    });
    expect(impairments().map(({ path }) => path)).toEqual(['/reports']);
    // Of an account that is no sandbox, reports say nothing of one.
    const reports = () =>
      receiver.received.filter(
        ({ body }) => (body['result'] as Json | undefined)?.['notification_type'] === 'scheduled',
      );
    const [report] = await until(() => Promise.resolve(reports().length > 0 && reports()));
    expect(report?.body['result']).not.toHaveProperty('sandbox');
  });
});

interface Line {
  product_id: string;
  pricing_option_id: string;
  budget: number;
  bid_price?: number;
  creatives: (Json & { creative_id: string })[];
}
