import { afterEach, describe, expect, it } from 'vitest';
import { endChannel } from '../../src/reporting/end-channel.ts';
import { toTimestamp } from '../../src/platform/clock.ts';
import { ceilHour, DAY_MS, floorHour, HOUR_MS } from '../../src/platform/hours.ts';
import { sealer } from '../../src/platform/crypto/sealer.ts';
import { readDelivery } from '../../src/sales/delivery/read-delivery.ts';
import { sumMeasures } from '../../src/sales/delivery/measure.ts';
import type { MediaBuyId } from '../../src/sales/media-buy/media-buy-id.ts';
import type { MediaBuy } from '../../src/sales/media-buy/media-buy.ts';
import { transitionBuy } from '../../src/sales/media-buy/transitions.ts';
import { Deliveries } from '../../src/webhooks/delivery/delivery.ts';
import { sealedFor } from '../../src/webhooks/registration/webhook-target.ts';

import { SECRET } from '../webhooks/support/open-sender.ts';
import { openReporting } from './support/open-reporting.ts';
import type { OpenReporting, Sent } from './support/open-reporting.ts';
import { describeOnStores } from '../support/stores.ts';

let open: OpenReporting | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

const types = (sent: readonly Sent[]) => sent.map(({ result }) => result.notification_type);
const numbers = (sent: readonly Sent[]) => sent.map(({ result }) => result.sequence_number);
const spans = (sent: readonly Sent[]) => sent.map(({ result }) => result.reporting_period);
const ofType = (sent: readonly Sent[], type: string) => sent.filter(({ result }) => result.notification_type === type);

/** The figures of the facts, in cents, for a period. */
async function factsIn({ sales }: OpenReporting, media_buy_id: MediaBuyId, period: { start: string; end: string }) {
  const range = { fromMs: Date.parse(period.start), untilMs: Date.parse(period.end) };
  const { impressions, spend_minor, clicks } = sumMeasures(
    await readDelivery(sales.facts, media_buy_id, range, 'hour'),
  );
  return { impressions, spend: spend_minor / 100, clicks };
}

describeOnStores('delivery reports on %s', (kind) => {
  it('[W10] report each day once when it is over, then the whole once, numbered from 1 without gaps', async () => {
    open = await openReporting(kind);
    const buy = await open.book({ days: 4 });
    await open.report(buy);
    await open.pass(8 * DAY_MS, { stepMs: 4 * HOUR_MS });
    const sent = await open.sent(buy.media_buy_id);
    expect(types(sent)).toEqual(['scheduled', 'scheduled', 'scheduled', 'scheduled', 'final']);
    expect(numbers(sent)).toEqual([1, 2, 3, 4, 5]);
    const startMs = Date.parse(buy.start_time);
    const day = (n: number) => toTimestamp(startMs + n * DAY_MS);
    expect(spans(sent)).toEqual([
      ...[0, 1, 2, 3].map((n) => ({ start: day(n), end: day(n + 1) })),
      { start: day(0), end: day(4) },
    ]);
    for (const { result } of sent) {
      expect(result.media_buy_deliveries[0]?.totals).toEqual(
        await factsIn(open, buy.media_buy_id, result.reporting_period),
      );
    }
    expect(sent.map(({ result }) => result.next_expected_at)).toEqual([day(2), day(3), day(4), day(4), undefined]);
  });
});

const from = (buy: MediaBuy, days: number, hours = 0) =>
  toTimestamp(Date.parse(buy.start_time) + days * DAY_MS + hours * HOUR_MS);

describe('a delivery report', () => {
  it('[C.events.2] [W1] [W10] is an MCP-style envelope that echoes operation_id, token and context, with the report in result alone', async () => {
    open = await openReporting();
    const buy = await open.book({ days: 1 });
    await open.report(buy, { operation_id: 'reports-7', context: { trace: ['a', 1] } });
    await open.pass(2 * DAY_MS + 2 * HOUR_MS);
    const [first, last] = await open.sent(buy.media_buy_id);
    const { idempotency_key } = first?.row ?? {};
    expect(first?.body).toEqual({
      idempotency_key,
      operation_id: 'reports-7',
      task_id: 'delivery_report_mb_1_1',
      task_type: 'media_buy_delivery',
      domain: 'media-buy',
      protocol: 'media-buy',
      status: 'completed',
      timestamp: expect.stringMatching(/Z$/) as string,
      message: 'scheduled delivery report 1 of media buy mb_1',
      result: expect.any(Object) as object,
      context: { trace: ['a', 1] },
    });
    expect(idempotency_key).toMatch(/^[0-9a-f-]{14}4[0-9a-f-]{21}$/);
    expect(last?.row.idempotency_key).not.toBe(idempotency_key);
    expect(Object.keys(first?.result ?? {})).toEqual([
      'notification_type',
      'sequence_number',
      'next_expected_at',
      'reporting_period',
      'currency',
      'media_buy_deliveries',
    ]);
    expect(last?.result).not.toHaveProperty('next_expected_at');
    expect(JSON.stringify([first?.body, last?.body])).not.toContain('aggregated_totals');
    expect(JSON.stringify([first?.body, last?.body])).not.toContain('notification_id');
  });

  it('[W10] is made of every hour of a flight that had begun before its buy could be made', async () => {
    open = await openReporting();
    const startMs = open.clock.now() - 2.5 * HOUR_MS;
    const [start_time, end_time] = [toTimestamp(startMs), toTimestamp(startMs + 5 * HOUR_MS)];
    const buy = await open.book({ start_time, end_time });
    await open.report(buy, { reporting_frequency: 'hourly' });
    await open.pass(8 * HOUR_MS);
    const sent = await open.sent(buy.media_buy_id);
    const hour = (n: number) => toTimestamp(floorHour(startMs) + n * HOUR_MS);
    expect(spans(sent)).toEqual([
      ...[0, 1, 2, 3, 4, 5].map((n) => ({ start: hour(n), end: hour(n + 1) })),
      { start: hour(0), end: hour(6) },
    ]);
  });

  it('[W10] names its operation after the buy when the buyer gave none', async () => {
    open = await openReporting();
    const buy = await open.book({ days: 1 });
    await open.report(buy);
    await open.pass(2 * DAY_MS + HOUR_MS);
    const sent = await open.sent(buy.media_buy_id);
    expect(new Set(sent.map(({ body }) => body['operation_id']))).toEqual(new Set(['delivery_report_mb_1']));
  });

  it('[W10] holds the metrics asked for and no others, in all and by package', async () => {
    open = await openReporting();
    const buy = await open.book({ days: 1 });
    await open.report(buy, { requested_metrics: ['cpm', 'impressions'] });
    await open.pass(2 * DAY_MS + HOUR_MS);
    const [delivery] = (await open.sent(buy.media_buy_id))[0]?.result.media_buy_deliveries ?? [];
    expect(delivery).toEqual({
      media_buy_id: 'mb_1',
      buyer_ref: 'mb_1',
      status: 'completed',
      totals: { impressions: expect.any(Number) as number, cpm: expect.any(Number) as number },
      by_package: buy.packages.map(({ package_id, buyer_ref }) => ({
        package_id,
        ...(buyer_ref !== null && { buyer_ref }),
        impressions: expect.any(Number) as number,
        cpm: expect.any(Number) as number,
      })),
    });
  });

  it('[W1] with a token is sealed in the store until it is sent', async () => {
    open = await openReporting();
    const buy = await open.book({ days: 1 });
    const token = 'echo-me-in-every-report';
    await open.report(buy, { token });
    expect(JSON.stringify(await open.schedules.get(buy.media_buy_id))).not.toContain(token);
    await open.pass(2 * DAY_MS + HOUR_MS);
    const { rows } = await open.store
      .collection(Deliveries)
      .find({ where: { subject_id: 'mb_1', organization_id: 'org_1' } });
    expect(rows.map(({ is_body_sealed, body }) => [is_body_sealed, body.includes(token)])).toEqual([
      [true, false],
      [true, false],
    ]);
    const [row] = rows;
    expect(sealer(SECRET).open(row?.body ?? '', sealedFor(row?.url ?? ''))).toContain(`"token":"${token}"`);
  });
});

describe('the schedule', () => {
  it.each([
    ['hourly', 30],
    ['daily', 3],
    ['monthly', 2],
  ] as const)(
    '[W10] of %s reports covers a flight that begins and ends in mid-period, without a gap',
    async (reporting_frequency, count) => {
      open = await openReporting();
      const isMonthly = reporting_frequency === 'monthly';
      const toMonthEnd = Date.UTC(
        new Date(open.clock.now()).getUTCFullYear(),
        new Date(open.clock.now()).getUTCMonth() + 1,
      );
      const startMs = isMonthly ? toMonthEnd - 2 * DAY_MS + 17 * 60_000 : open.clock.now() + 21 * HOUR_MS + 17 * 60_000;
      const endMs = startMs + (isMonthly ? 4 * DAY_MS : 29 * HOUR_MS);
      const buy = await open.book({ start_time: toTimestamp(startMs), end_time: toTimestamp(endMs) });
      await open.report(buy, { reporting_frequency });
      await open.pass(Math.max(0, startMs - open.clock.now()), { stepMs: 5 * DAY_MS });
      await open.pass(endMs - startMs + 2 * HOUR_MS, { stepMs: 3 * HOUR_MS });
      const sent = await open.sent(buy.media_buy_id);
      const periods = spans(ofType(sent, 'scheduled'));
      expect(periods).toHaveLength(count);
      expect(periods[0]?.start).toBe(toTimestamp(floorHour(startMs)));
      expect(periods.at(-1)?.end).toBe(toTimestamp(ceilHour(endMs)));
      expect(periods.slice(1).map(({ start }) => start)).toEqual(periods.slice(0, -1).map(({ end }) => end));
      expect(types(sent).at(-1)).toBe('final');
      expect(numbers(sent)).toEqual(sent.map((_, i) => i + 1));
    },
  );

  it('[W10] reports a paused buy too, and says that it is paused', async () => {
    open = await openReporting();
    const buy = await open.book({ days: 3 });
    await open.report(buy);
    await open.pass(DAY_MS + HOUR_MS);
    const at = toTimestamp(open.clock.now());
    await open.change(buy.media_buy_id, (row) =>
      transitionBuy(row, 'paused', { at, action: 'paused', actor: 'buyer' }),
    );
    await open.pass(DAY_MS);
    const [report] = await open.sent(buy.media_buy_id);
    expect(report?.result).toMatchObject({
      notification_type: 'scheduled',
      media_buy_deliveries: [{ status: 'paused' }],
    });
  });

  it('[W10] that is set in mid-flight begins with the period under way, and numbers from 1', async () => {
    open = await openReporting();
    const buy = await open.book({ days: 4 });
    await open.pass(3 * DAY_MS - 5 * HOUR_MS);
    await open.report(buy, { revision: 2 });
    await open.pass(8 * HOUR_MS);
    const sent = await open.sent(buy.media_buy_id);
    expect(spans(sent)).toEqual([{ start: from(buy, 1), end: from(buy, 2) }]);
    expect(numbers(sent)).toEqual([1]);
  });

  it('[W10] late data is announced as delayed, and reported as scheduled when it comes', async () => {
    open = await openReporting();
    const buy = await open.book({ buyer_ref: 'late sim-delay', days: 3 });
    await open.report(buy);
    await open.pass(6 * DAY_MS, { stepMs: 3 * HOUR_MS });
    const sent = await open.sent(buy.media_buy_id);
    const days = [0, 0, 1, 1, 2, 2];
    expect(types(sent)).toEqual([...days.map((_, i) => (i % 2 === 0 ? 'delayed' : 'scheduled')), 'final']);
    expect(numbers(sent)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(spans(sent).slice(0, 6)).toEqual(days.map((n) => ({ start: from(buy, n), end: from(buy, n + 1) })));
    expect(sent.map(({ result }) => result.media_buy_deliveries[0]?.status)).toEqual([
      'reporting_delayed',
      'active',
      'reporting_delayed',
      'completed',
      'reporting_delayed',
      'completed',
      'completed',
    ]);
    for (const { result } of ofType(sent, 'scheduled')) {
      const totals = result.media_buy_deliveries[0]?.totals;
      expect(totals).toEqual(await factsIn(open, buy.media_buy_id, result.reporting_period));
      expect(totals?.['impressions']).toBeGreaterThan(0);
    }
  });

  it('[W10] a correction of a reported period is sent as adjusted, with the figures that replace the earlier ones', async () => {
    open = await openReporting();
    const buy = await open.book({ buyer_ref: 'counted sim-correct', days: 2 });
    await open.report(buy);
    await open.pass(5 * DAY_MS);
    const sent = await open.sent(buy.media_buy_id);
    expect(types(sent)).toEqual(['scheduled', 'adjusted', 'scheduled', 'adjusted', 'final']);
    expect(spans(sent).slice(0, 4)).toEqual([0, 0, 1, 1].map((n) => ({ start: from(buy, n), end: from(buy, n + 1) })));
    expect(numbers(sent)).toEqual([1, 2, 3, 4, 5]);
    const impressions = sent.map(({ result }) => result.media_buy_deliveries[0]?.totals['impressions'] ?? 0);
    expect(impressions[1]).toBeLessThan(impressions[0] ?? 0);
    for (const { result } of sent.filter((_, i) => i !== 0 && i !== 2)) {
      expect(result.media_buy_deliveries[0]?.totals).toEqual(
        await factsIn(open, buy.media_buy_id, result.reporting_period),
      );
    }
  });

  it('[W10] a correction of a period that is not reported yet is simply in its report', async () => {
    open = await openReporting();
    const buy = await open.book({ buyer_ref: 'counted sim-correct', days: 2 });
    await open.report(buy, { reporting_frequency: 'monthly' });
    await open.pass(5 * DAY_MS, { stepMs: 3 * HOUR_MS });
    const sent = await open.sent(buy.media_buy_id);
    expect(ofType(sent, 'scheduled').length).toBeGreaterThan(0);
    const [last] = ofType(sent, 'final');
    expect(last?.result.media_buy_deliveries[0]?.totals).toEqual(
      await factsIn(open, buy.media_buy_id, last?.result.reporting_period ?? { start: '', end: '' }),
    );
  });

  it.each([
    ['before its start', 0],
    ['in mid-flight', 2 * DAY_MS + 5 * HOUR_MS + 600_000],
  ])('[W10] final fires once after a buy is canceled %s, and then nothing more', async (_, afterMs) => {
    open = await openReporting();
    const buy = await open.book({ days: 6 });
    await open.report(buy);
    await open.pass(afterMs);
    await open.cancel(buy.media_buy_id);
    await open.work();
    const sent = await open.sent(buy.media_buy_id);
    expect(ofType(sent, 'final')).toHaveLength(1);
    const last = sent.at(-1)?.result;
    expect(last).toMatchObject({ notification_type: 'final', media_buy_deliveries: [{ status: 'canceled' }] });
    const reported = spans(ofType(sent, 'scheduled'));
    expect(reported.at(-1)?.end ?? last?.reporting_period.start).toBe(last?.reporting_period.end);
    await open.pass(4 * DAY_MS);
    expect(await open.sent(buy.media_buy_id)).toHaveLength(sent.length);
    expect(await open.schedules.get(buy.media_buy_id)).toMatchObject({ due_at: null, unsent: [] });
  });

  it('[W6] a receiver that is gone hears nothing more; a new webhook goes on with the numbers', async () => {
    open = await openReporting();
    const buy = await open.book({ days: 6 });
    await open.report(buy, { url: 'http://127.0.0.1:9/old' });
    await open.pass(2 * DAY_MS + HOUR_MS);
    const [first] = await open.sent(buy.media_buy_id);
    if (first === undefined) throw new Error('nothing was sent');
    await endChannel({ ...open, sealer: sealer(SECRET) }, { ...first.row, url: 'http://127.0.0.1:9/another' });
    await open.pass(DAY_MS);
    expect(await open.sent(buy.media_buy_id)).toHaveLength(2);
    await endChannel({ ...open, sealer: sealer(SECRET) }, first.row);
    await open.pass(2 * DAY_MS);
    expect(await open.sent(buy.media_buy_id)).toHaveLength(2);
    await open.report(buy, { url: 'http://127.0.0.1:9/new', revision: 2 });
    await open.pass(3 * DAY_MS);
    const sent = await open.sent(buy.media_buy_id);
    expect(numbers(sent)).toEqual([1, 2, 3, 4, 5]);
    expect(spans(sent).slice(2, 4)).toEqual([4, 5].map((n) => ({ start: from(buy, n), end: from(buy, n + 1) })));
  });

  it('[C.events.8] a new webhook is used from the next report on; what was made keeps its target', async () => {
    open = await openReporting();
    const buy = await open.book({ days: 3 });
    await open.report(buy, { url: 'http://127.0.0.1:9/old', operation_id: 'old' });
    await open.pass(2 * DAY_MS + HOUR_MS);
    await open.report(buy, { url: 'http://127.0.0.1:9/new', operation_id: 'new', revision: 3, context: { now: true } });
    await open.report(buy, { url: 'http://127.0.0.1:9/repeated', revision: 2 });
    await open.pass(DAY_MS);
    const sent = await open.sent(buy.media_buy_id);
    expect(sent.map(({ row, body }) => [row.url, body['operation_id'], body['context']])).toEqual([
      ['http://127.0.0.1:9/old', 'old', undefined],
      ['http://127.0.0.1:9/new', 'new', { now: true }],
    ]);
  });

  it('[C.events.8] [W10] another frequency closes the period under way at its next boundary, and skips and repeats nothing', async () => {
    open = await openReporting();
    const buy = await open.book({ days: 2 });
    await open.report(buy);
    await open.pass(DAY_MS + 20 * HOUR_MS + 1_800_000);
    await open.report(buy, { reporting_frequency: 'hourly', revision: 2 });
    await open.pass(2 * HOUR_MS);
    await open.report(buy, { reporting_frequency: 'daily', revision: 3 });
    await open.pass(2 * DAY_MS);
    const sent = await open.sent(buy.media_buy_id);
    expect(spans(ofType(sent, 'scheduled'))).toEqual([
      { start: from(buy, 0), end: from(buy, 0, 21) },
      { start: from(buy, 0, 21), end: from(buy, 0, 22) },
      { start: from(buy, 0, 22), end: from(buy, 1) },
      { start: from(buy, 1), end: from(buy, 2) },
    ]);
  });
});
