import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { evenPace, paceWords, PacingChart } from '../../../src/admin/console/parts/pacing-chart.tsx';
import type { FlightSpend } from '../../../src/admin/console/parts/pacing-chart.tsx';
import { operate } from '../../journeys/support/operator.ts';
import { buyInput } from '../../journeys/support/reports.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { describeOnStores } from '../../support/stores.ts';
import { until } from '../../support/until.ts';
import { result } from '../../tasks/support/calls.ts';
import type { Json } from '../../tasks/support/calls.ts';
import { textOf, visitorOf } from './support/visitor.ts';

const START = Date.parse('2026-04-01T00:00:00.000Z');
const DAY = 86_400_000;
const flight: FlightSpend = {
  ...{ budget: 1_000, currency: 'USD', startMs: START, endMs: START + 10 * DAY, atMs: START + 4 * DAY },
  spent: [],
};

/** Each number of a line of the picture. */
function lineOf(html: string, name: string): [x: number, y: number][] {
  const [, points = ''] = new RegExp(`<polyline class="${name}" points="([^"]*)">`).exec(html) ?? [];
  return points.split(' ').flatMap((point) => {
    const [x = '', y = ''] = point.split(',');
    return point === '' ? [] : [[Number(x), Number(y)] as [number, number]];
  });
}

describe('[O1.pacing] the picture of a media buy’s pace', () => {
  const drawn = (spent: FlightSpend['spent']) => (<PacingChart pacing={{ ...flight, spent }} />).toString();

  it('without a point has the even pace and the budget, and says so', () => {
    const html = drawn([]);
    expect(lineOf(html, 'spent')).toEqual([]);
    expect(lineOf(html, 'even')).toEqual([
      [0, 240],
      [920, 12],
    ]);
    expect(html).toContain('Spent 0.00 USD of 1,000.00 USD; an even pace stands at 400.00 USD, of which 0 % is spent.');
    expect(html).toContain('Nothing was spent yet.');
  });

  it('with one point is a line from the flight’s beginning to it', () => {
    const html = drawn([{ atMs: START + 5 * DAY, amount: 500 }]);
    expect(lineOf(html, 'spent')).toEqual([
      [0, 240],
      [460, 126],
    ]);
    expect(html.match(/<circle/g)).toHaveLength(1);
  });

  it('with 10,000 points stays small, keeps the last to the cent, never falls, and stays within its frame', () => {
    const spent = Array.from({ length: 10_000 }, (_, i) => ({
      atMs: START + i * 100_000,
      amount: (i + 1) / 10 + 0.01,
    }));
    const html = drawn(spent);
    const line = lineOf(html, 'spent');
    expect(line.length).toBeLessThanOrEqual(401);
    expect(html.length).toBeLessThan(150_000);
    expect(html).toContain('Spent 1,000.01 USD of 1,000.00 USD');
    expect(html).toContain('<span>1,000.01 USD</span>');
    for (const [i, [x, y]] of line.entries()) {
      expect(Number.isFinite(x) && x >= 0 && x <= 920 && y >= 0 && y <= 240).toBe(true);
      if (i > 0) expect(y).toBeLessThanOrEqual(line[i - 1]?.[1] ?? 0);
    }
  });

  it('has an even pace of whole cents, none before the flight, and no more than the budget after', () => {
    expect(evenPace({ ...flight, budget: 100 }, START + DAY / 3)).toBe(3.33);
    expect(evenPace({ ...flight, budget: 100, currency: 'JPY' }, START + DAY / 3)).toBe(3);
    expect([evenPace(flight, START - 1), evenPace(flight, START + 11 * DAY)]).toEqual([0, 1_000]);
    expect(evenPace({ ...flight, endMs: START }, START)).toBe(1_000);
  });

  it('in words is ahead, behind or on it, and not behind before the ad server can have been asked', () => {
    const words = (spent: number, ms: number) => paceWords(flight, spent, START + ms);
    expect([0, 5, 100, 109, 150].map((spent) => words(spent, DAY))).toEqual([
      '100 % behind',
      '95 % behind',
      ...['on pace', 'on pace', '50 % ahead'],
    ]);
    expect([words(0, 0), words(5, -1)]).toEqual([undefined, undefined]);
    expect([words(0, 3_599_999), words(0, 3_600_000), words(1, 60_000)]).toEqual([
      undefined,
      '100 % behind',
      expect.stringContaining('ahead'),
    ]);
  });
});

describeOnStores('pacing on %s', (store) => {
  let agent: TestAgent;
  beforeAll(async () => {
    agent = await startTestAgent(store, { env: { SIM_SPEED: '360000', APPROVAL_OVER_USD: '1000000' } });
  });
  afterAll(() => agent.stop());

  it('the empty page of approvals says above which total something comes there', async () => {
    const { html } = await (await visitorOf(agent, 'viewer')).get('/approvals');
    expect(textOf(html)).toContain('whose total is above APPROVAL_OVER_USD=1000000, or in another currency');
  });

  it('[O1.pacing] tells to the cent what the buyer is told, in the words, and in the table day by day', async () => {
    const end_time = new Date(Date.now() + 20 * 86_400_000).toISOString();
    const sold = await result(agent, 'create_media_buy', buyInput(agent, { end_time }));
    const id = String(sold['media_buy_id']);
    const viewer = await visitorOf(agent, 'viewer');
    const money = (amount: number) => `${new Intl.NumberFormat('en', { minimumFractionDigits: 2 }).format(amount)} USD`;
    // Between the two the ad server may state another hour.
    await until(async () => {
      const told = await result(agent, 'get_media_buy_delivery', { media_buy_id: id, granularity: 'daily' });
      const text = textOf((await viewer.get(`/buys/${id}`)).html);
      const { spend } = told['delivery'] as { spend: number };
      const [, pacing = ''] = /<summary>Pacing in numbers<\/summary>(.*?)<\/details>/s.exec(text) ?? [];
      const cells = [...pacing.matchAll(/<td [^>]*class="num"[^>]*><span>([^<]*)<\/span>/g)].map(([, cell]) => cell);
      let cents = 0;
      const sofar = (told['timeseries'] as { spend: number }[]).flatMap((step) => {
        cents += Math.round(step.spend * 100);
        return step.spend > 0 ? [money(cents / 100)] : [];
      });
      const isSame = JSON.stringify(cells.filter((_, i) => i % 3 === 0)) === JSON.stringify(sofar);
      return sofar.length > 1 && isSame && text.includes(`Spent ${money(spend)} of`);
    });
    const { body } = await operate(agent, 'GET', `/media-buys/${id}`);
    const days = body['days'] as { spend: number; spent_so_far: number }[];
    expect(days.at(-1)?.spent_so_far).toBeCloseTo(
      (body['delivered'] as Json[]).reduce((sum, one) => sum + Number(one['spend']), 0),
      6,
    );
  });
});
