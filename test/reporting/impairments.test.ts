import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endChannel } from '../../src/reporting/end-channel.ts';
import { DAY_MS, HOUR_MS } from '../../src/platform/hours.ts';
import { decideOnCreative } from '../../src/sales/creative/review/decide.ts';
import type { CreativeDecision } from '../../src/sales/creative/review/decide.ts';
import { sealer } from '../../src/platform/crypto/sealer.ts';
import { recheckMediaBuy } from '../../src/sales/media-buy/recheck.ts';
import type { MediaBuy } from '../../src/sales/media-buy/media-buy.ts';
import { Deliveries } from '../../src/webhooks/delivery/delivery.ts';

import { sampleCreative } from '../sales/support/sample-creative.ts';
import { sampleMediaBuy } from '../sales/support/sample-media-buy.ts';
import { mediaBuyId, organizationId } from '../support/ids.ts';
import { mortal } from './support/mortal-store.ts';
import { SECRET } from '../webhooks/support/open-sender.ts';
import { HOOK, openReporting, pushTo, WINDOW_MS } from './support/open-reporting.ts';
import type { OpenReporting, Sent, Worker } from './support/open-reporting.ts';
import { describeOnStores } from '../support/stores.ts';

const PUSH = 'http://127.0.0.1:9/push';

let open: OpenReporting;
afterEach(() => open.close());

/** A buy that runs, each package with a creative of its own, and hears of impairments. */
async function begin(kind: Parameters<typeof openReporting>[0] = 'sqlite', { isHeard = true } = {}): Promise<MediaBuy> {
  open = await openReporting(kind);
  await open.sales.creatives.insert(sampleCreative({ creative_id: 'c2' }));
  const packages = sampleMediaBuy().packages.map((line, i) => ({ ...line, creative_ids: [`c${i + 1}`] }));
  const buy = await open.book({ days: 6, packages });
  if (isHeard)
    await open.reporting.buyWebhooks.set(buy, 1, {
      push: pushTo(),
      context: { trace: 7 },
      context_text: '{"trace":7}',
    });
  await open.pass(DAY_MS + HOUR_MS, { stepMs: DAY_MS });
  return buy;
}

const decide = (creative_id: string, to: CreativeDecision['to'], reason_code?: CreativeDecision['reason_code']) =>
  decideOnCreative(open.sales, {
    ...{ organization_id: organizationId('org_1'), creative_id, to, reason: `${to} by a person` },
    ...(reason_code && { reason_code }),
  });

interface Told {
  health: string;
  impairment: { impairment_id: string; resource_id: string; state: string };
  impairments: { resource_id: string }[];
}

const isImpairment = ({ row }: Sent) => row.event === 'impairment';
async function heard(): Promise<(Sent & { told: Told })[]> {
  const sent = (await open.sent('mb_1')).filter(isImpairment);
  return sent.map((one) => ({ ...one, told: one.result as unknown as Told }));
}
const states = async () => (await heard()).map(({ told }) => [told.impairment.resource_id, told.impairment.state]);

describeOnStores('an impairment on %s', (kind) => {
  beforeEach(async () => {
    await begin(kind);
  });

  it('[W9] [C.events.6] that is general waits for its window, is told once, and again when it is cleared', async () => {
    await decide('c1', 'suspended');
    await open.pass(WINDOW_MS - 1000, { stepMs: 10_000 });
    expect(await heard()).toEqual([]);
    await open.pass(2000, { stepMs: 1000 });
    await open.pass(10 * WINDOW_MS, { stepMs: WINDOW_MS });
    expect(await states()).toEqual([['c1', 'open']]);
    await decide('c1', 'approved');
    await open.pass(WINDOW_MS, { stepMs: 10_000 });
    expect(await states()).toEqual([
      ['c1', 'open'],
      ['c1', 'resolved'],
    ]);
    const [raised, cleared] = await heard();
    expect(raised?.told).toMatchObject({ health: 'impaired', impairments: [{ resource_id: 'c1' }] });
    expect(cleared?.told).toMatchObject({ health: 'ok', impairments: [] });
  });

  it('[B9.no-creatives] of a package whose creatives are taken off is told once, and again when one is put on', async () => {
    const assign = async (creative_ids: string[]) => {
      await open.change('mb_1', (buy) => ({
        ...buy,
        packages: buy.packages.map((line) => (line.package_id === 'pkg_2' ? { ...line, creative_ids } : line)),
      }));
      await recheckMediaBuy(open.sales, mediaBuyId('mb_1'));
    };
    await assign([]);
    await assign([]);
    await open.pass(10 * WINDOW_MS, { stepMs: WINDOW_MS });
    expect(await states()).toEqual([['pkg_2', 'open']]);
    await assign(['c2']);
    await open.pass(10 * WINDOW_MS, { stepMs: WINDOW_MS });
    expect(await states()).toEqual([
      ['pkg_2', 'open'],
      ['pkg_2', 'resolved'],
    ]);
    const [raised, cleared] = await heard();
    expect(raised?.told).toMatchObject({
      health: 'impaired',
      impairment: { resource_type: 'package', reason_code: 'no_creatives', package_ids: ['pkg_2'] },
    });
    expect(cleared?.told).toMatchObject({ health: 'ok', impairments: [] });
  });

  it.each(['fraud', 'brand_safety'] as const)(
    '[W9] [C.events.6] that is latency-sensitive, as %s is, goes at once',
    async (reason) => {
      await decide('c1', 'suspended', reason);
      await open.work();
      expect(await states()).toEqual([['c1', 'open']]);
      await decide('c1', 'approved');
      await open.work();
      expect(await states()).toEqual([
        ['c1', 'open'],
        ['c1', 'resolved'],
      ]);
    },
  );
});

describe('impairments', () => {
  it('[W9] of one buy wait together, from the first of them on, and each is told in its newest state', async () => {
    await begin();
    await decide('c1', 'suspended');
    await open.pass(WINDOW_MS / 2, { stepMs: WINDOW_MS / 2 });
    await decide('c2', 'suspended');
    await decide('c1', 'approved');
    expect(await heard()).toEqual([]);
    await open.pass(WINDOW_MS / 2, { stepMs: WINDOW_MS / 2 });
    expect((await states()).sort()).toEqual([
      ['c1', 'resolved'],
      ['c2', 'open'],
    ]);
  });

  it('[W9] that cannot wait do not make the others go', async () => {
    await begin();
    await decide('c1', 'suspended');
    await decide('c2', 'suspended', 'fraud');
    await open.work();
    expect(await states()).toEqual([['c2', 'open']]);
    await open.pass(WINDOW_MS, { stepMs: WINDOW_MS });
    expect(await states()).toEqual([
      ['c2', 'open'],
      ['c1', 'open'],
    ]);
  });

  it('[W9] [C.events.4] are told anew under the same notification_id, another idempotency_key and a later timestamp, even when the clock is set back', async () => {
    await begin();
    await decide('c1', 'suspended', 'fraud');
    await open.work();
    open.clock.advance(-3 * HOUR_MS);
    await decide('c1', 'approved');
    await open.work();
    await decide('c1', 'suspended', 'fraud');
    await open.work();
    const told = (await heard()).sort(
      (a, b) => a.row.sequence - b.row.sequence || a.row.task_id.localeCompare(b.row.task_id),
    );
    const byState = (id: string) => told.filter(({ body }) => body['notification_id'] === id);
    const ids = [...new Set(told.map(({ body }) => String(body['notification_id'])))];
    expect(ids).toHaveLength(2);
    const [first, second] = byState(ids.find((id) => byState(id).length === 2) ?? '');
    expect(first?.told.impairment.state).toBe('open');
    expect(second?.told.impairment.state).toBe('resolved');
    expect(second?.body['idempotency_key']).not.toBe(first?.body['idempotency_key']);
    expect(String(second?.body['timestamp']) > String(first?.body['timestamp'])).toBe(true);
  });

  it('[W1] [C.events.2] come in an MCP-style envelope that echoes the registration', async () => {
    await begin();
    await decide('c1', 'suspended', 'brand_safety');
    await open.work();
    const [told] = await heard();
    expect(told?.row).toMatchObject({ url: PUSH, mode: 'rfc9421', subject_id: 'mb_1' });
    expect(told?.body).toMatchObject({
      notification_id: told?.told.impairment.impairment_id,
      operation_id: 'op-buy',
      task_id: told?.told.impairment.impairment_id,
      task_type: 'media_buy_impairment',
      domain: 'media-buy',
      status: 'completed',
      context: { trace: 7 },
      result: {
        notification_type: 'impairment',
        media_buy_id: 'mb_1',
        status: 'active',
        health: 'impaired',
        impairment: {
          resource_type: 'creative',
          resource_id: 'c1',
          package_ids: ['pkg_1'],
          state: 'open',
          reason_code: 'brand_safety',
          reason: 'suspended by a person',
          transition: { from: 'approved', to: 'suspended' },
        },
      },
    });
  });

  it('go to the buy’s push_notification_config, else to its reporting webhook, else to nobody', async () => {
    const buy = await begin('sqlite', { isHeard: false });
    await decide('c1', 'suspended', 'fraud');
    await open.work();
    const untold = () => open.sales.impairments.count({ untold_since: { gt: '' } });
    expect([await heard(), await untold()]).toEqual([[], 0]);
    await open.report(buy, { revision: 2 });
    await decide('c1', 'approved');
    await open.work();
    await open.reporting.buyWebhooks.set(buy, 3, { push: pushTo() });
    await decide('c1', 'suspended', 'fraud');
    await open.work();
    const told = await heard();
    expect(told.map(({ row }) => row.url).sort()).toEqual([PUSH, HOOK]);
    expect(await untold()).toBe(0);
  });

  it.each([
    ['3.0', undefined, [HOOK]],
    ['3.0', '3.1', [HOOK]],
    ['3.1', '3.1', [PUSH]],
    ['3.0', '3.0', []],
  ] as const)(
    '[W9] [D5.reports] are told once, where they can be: webhooks of %s and of %s',
    async (made, changed, urls) => {
      const buy = await begin('sqlite', { isHeard: false });
      const inRelease = (release: '3.0' | '3.1') => ({ dialect: `adcp/${release}` }) as const;
      await open.reporting.buyWebhooks.set(buy, 1, { push: { ...pushTo(), ...inRelease(made) } });
      const config = { url: HOOK, reporting_frequency: 'daily' as const };
      const reporting_webhook = open.reporting.buyWebhooks.seal(config, 'reporting_webhook');
      const dialect = changed && inRelease(changed);
      await open.reporting.buyWebhooks.set(buy, 2, { reporting_webhook, ...dialect });
      await decide('c1', 'suspended', 'fraud');
      await open.work();
      expect((await heard()).map(({ row }) => row.url)).toEqual(urls);
      expect(await open.sales.impairments.count({ untold_since: { gt: '' } })).toBe(0);
    },
  );

  it('[W6] go no more to a receiver that is gone', async () => {
    await begin();
    await endChannel(
      { ...open, sealer: sealer(SECRET) },
      { registration_id: 'push_notification_config', subject_id: mediaBuyId('mb_1'), url: PUSH },
    );
    await decide('c1', 'suspended', 'fraud');
    await open.work();
    expect(await heard()).toEqual([]);
  });
});

describe('when a buy ends', () => {
  it('[W9] [W10] [C.states.media-buys] queued impairments go first, then final, then there is silence', async () => {
    const buy = await begin();
    await open.report(buy, { revision: 2 });
    await decide('c1', 'suspended');
    await open.work();
    expect(await heard()).toEqual([]);
    await open.cancel('mb_1');
    await open.work();
    expect(await states()).toEqual([['c1', 'open']]);
    const finals = async () => (await open.sent('mb_1')).filter(({ row }) => row.event === 'final');
    expect(await finals()).toEqual([]);

    const [told] = await heard();
    await open.store.collection(Deliveries).update(told?.row.delivery_id ?? '', (row) => ({
      ...row,
      attempts: [{ attempt: 1, started_at: row.created_at, status: 'success' }],
      next_attempt_at: null,
    }));
    await open.pass(1000, { stepMs: 500 });
    expect(await finals()).toHaveLength(1);

    const before = (await open.sent('mb_1')).length;
    await recheckMediaBuy(open.sales, mediaBuyId('mb_1'));
    await decide('c1', 'approved');
    await decide('c2', 'suspended', 'fraud');
    await open.pass(DAY_MS, { stepMs: HOUR_MS });
    expect(await open.sent('mb_1')).toHaveLength(before);
    expect(await open.sales.impairments.count({ untold_since: { gt: '' } })).toBe(0);
  });

  it('[W10] final does not wait for ever on an impairment that cannot be attempted', async () => {
    const buy = await begin();
    await open.report(buy, { revision: 2 });
    await decide('c1', 'suspended');
    await open.cancel('mb_1');
    await open.pass(2 * WINDOW_MS, { stepMs: 5000 });
    expect((await open.sent('mb_1')).map(({ row }) => row.event).sort()).toEqual(['final', 'impairment', 'scheduled']);
  });
});

it('[W9] [C.events.4] no state is lost or told twice when workers die at any write and others go on', async () => {
  await begin();
  let expected = 0;
  for (let at = 1; at <= 8; at++) {
    for (const when of ['before', 'after'] as const) {
      await decide('c1', expected % 2 === 0 ? 'suspended' : 'approved', expected % 2 === 0 ? 'fraud' : undefined);
      expected += 1;
      const dying = await open.worker((store) => mortal(at, when).wrap(store));
      await tell(dying);
      await Promise.all([open.work(), tell(dying)]);
      await open.pass(WINDOW_MS, { stepMs: 20_000 });
    }
  }
  const told = await heard();
  expect(told).toHaveLength(expected);
  expect(new Set(told.map(({ row }) => row.idempotency_key)).size).toBe(expected);
  expect(told.map(({ told: { impairment } }) => impairment.state).sort()).toEqual([
    ...Array.from({ length: 8 }, () => 'open'),
    ...Array.from({ length: 8 }, () => 'resolved'),
  ]);
});

function tell(worker: Worker): Promise<unknown> {
  return worker.reporting.processDue().catch(() => undefined);
}
