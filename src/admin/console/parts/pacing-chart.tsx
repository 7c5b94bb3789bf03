import { minorDigitsOf } from '../../../platform/currency.ts';
import type { Markup } from '../html/markup.ts';
import { Table } from './table.tsx';
import { Day, Money } from './words.tsx';

/** A media buy's money over its flight; times in milliseconds, amounts decimals of the currency. */
export interface FlightSpend {
  budget: number;
  currency: string;
  startMs: number;
  endMs: number;
  /** Up to when it is known what was spent: hours are recorded once they are over. */
  atMs: number;
  /** All that was spent up to an instant, in the order of time. */
  spent: readonly { atMs: number; amount: number }[];
}

const WIDTH = 920;
const HEIGHT = 240;
/** Above what is highest. */
const HEAD = 12;

/** More than a screen has room for is drawn as fewer: what stood at the end of each of so many parts. */
const MOST_POINTS = 400;

/** What was spent against an even pace and the budget: as lines, in words, and as a table. */
export function PacingChart({ pacing }: { pacing: FlightSpend }): Markup {
  const { currency, budget, startMs, endMs, atMs } = pacing;
  const points = thinned(pacing.spent);
  const last = points.at(-1);
  const fromMs = Math.min(startMs, points[0]?.atMs ?? startMs);
  const untilMs = Math.max(endMs, last?.atMs ?? endMs, fromMs + 1);
  const most = Math.max(budget, last?.amount ?? 0, 0.01);
  const place = (ms: number, amount: number): string => {
    const [x, y] = [((ms - fromMs) / (untilMs - fromMs)) * WIDTH, HEIGHT - (amount / most) * (HEIGHT - HEAD)];
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  };
  const line = [place(fromMs, 0), ...points.map((point) => place(point.atMs, point.amount))].join(' ');
  const [dotX, dotY] = last === undefined ? [] : place(last.atMs, last.amount).split(',');
  const words = inWords(pacing);
  return (
    <>
      <p>
        {words}
        {atMs > startMs && (
          <>
            {' Both stand as of '}
            <Day at={new Date(atMs).toISOString()} />
            {' (UTC), up to which it is recorded what was delivered.'}
          </>
        )}
      </p>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT + 2}`} role="img" aria-label={`Pacing. ${words}`}>
        <line class="axis" x1={0} y1={HEIGHT} x2={WIDTH} y2={HEIGHT} />
        <polyline class="ceiling" points={`${place(fromMs, budget)} ${place(untilMs, budget)}`} />
        <polyline class="even" points={`${place(startMs, 0)} ${place(endMs, budget)}`} />
        {last !== undefined && <polyline class="spent" points={line} />}
        {last !== undefined && <circle class="dot" cx={dotX} cy={dotY} r={4} />}
      </svg>
      <p class="quiet">
        <span aria-hidden="true">━━ </span>
        {'spent, '}
        <span aria-hidden="true">┄┄ </span>
        {'even pace, '}
        <span aria-hidden="true">╌╌ </span>
        {'budget, from '}
        <Day at={new Date(fromMs).toISOString()} />
        {' to '}
        <Day at={new Date(untilMs).toISOString()} />
        {' (UTC)'}
      </p>
      <details>
        <summary>Pacing in numbers</summary>
        <Table
          caption="Pacing"
          rows={points}
          empty="Nothing was spent yet."
          columns={[
            { heading: 'Until (UTC)', cell: (point) => <Day at={new Date(point.atMs).toISOString()} /> },
            { heading: 'Spent', isNumber: true, cell: ({ amount }) => <Money of={amount} currency={currency} /> },
            {
              heading: 'Even pace',
              isNumber: true,
              cell: (point) => <Money of={evenPace(pacing, Math.min(point.atMs, atMs))} currency={currency} />,
            },
            { heading: 'Budget', isNumber: true, cell: () => <Money of={budget} currency={currency} /> },
          ]}
        />
      </details>
    </>
  );
}

function inWords(pacing: FlightSpend): string {
  const { budget, currency, atMs } = pacing;
  const spent = pacing.spent.at(-1)?.amount ?? 0;
  const even = evenPace(pacing, atMs);
  const money = (amount: number) => (<Money of={amount} currency={currency} />).toString().replaceAll(/<[^>]*>/g, '');
  const share = even > 0 ? `, of which ${Math.round((spent / even) * 100)} % is spent` : '';
  return `Spent ${money(spent)} of ${money(budget)}; an even pace stands at ${money(even)}${share}.`;
}

/** What would be spent by then if each hour of the flight took the same, in cents or what stands for them. Pure. */
export function evenPace(
  { budget, currency, startMs, endMs }: Pick<FlightSpend, 'budget' | 'currency' | 'startMs' | 'endMs'>,
  ms: number,
): number {
  const share = endMs > startMs ? (ms - startMs) / (endMs - startMs) : 1;
  return Number((budget * Math.min(1, Math.max(0, share))).toFixed(minorDigitsOf(currency) ?? 2));
}

/** Off an even pace by less than this share is on it. */
const ON_PACE = 0.1;

/** The ad server is asked each hour: of what ran for less nothing may be recorded. */
const FIRST_REPORT_MS = 3_600_000;

/** How what was spent up to an instant stands to an even pace; nothing while the first report may be still to come. Pure. */
export function paceWords(flight: Parameters<typeof evenPace>[0], spent: number, ms: number): string | undefined {
  if (spent === 0 && ms - flight.startMs < FIRST_REPORT_MS) return undefined;
  const even = evenPace(flight, ms);
  if (even === 0) return undefined;
  const off = spent / even - 1;
  if (Math.abs(off) < ON_PACE) return 'on pace';
  return `${Math.round(Math.abs(off) * 100)} % ${off > 0 ? 'ahead' : 'behind'}`;
}

function thinned<T>(points: readonly T[]): T[] {
  if (points.length <= MOST_POINTS) return [...points];
  return Array.from({ length: MOST_POINTS }, (_, i) => {
    const at = Math.floor(((i + 1) * points.length) / MOST_POINTS) - 1;
    return points[at] as T;
  });
}
