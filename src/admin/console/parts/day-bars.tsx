import { shownAmount } from '../../../platform/money.ts';
import type { Markup } from '../html/markup.ts';
import { Count, Money } from './words.tsx';
import { Table } from './table.tsx';

export interface DayOfDelivery {
  /** `2026-04-01`. */
  day: string;
  impressions: number;
  spend: number;
}

const WIDTH = 920;
const HEIGHT = 180;
const FOOT = 22;
/** Of a bar. */
const WIDEST = 48;

/** What was spent day by day, as bars and, for whoever does not see them, as a table. */
export function DayBars({ days, currency }: { days: readonly DayOfDelivery[]; currency: string }): Markup {
  const most = Math.max(...days.map(({ spend }) => spend), 0.01);
  const step = WIDTH / days.length;
  const width = Math.min(step * 0.8, WIDEST);
  const [first, last] = [days[0]?.day ?? '', days.at(-1)?.day ?? ''];
  return (
    <>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT + FOOT}`} role="img" aria-label={`Spent by day, from ${first} to ${last}`}>
        {days.map(({ day, spend }, i) => {
          const height = (spend / most) * (HEIGHT - 16);
          return (
            <rect
              class="bar"
              x={fixed(i * step + (step - width) / 2)}
              y={fixed(HEIGHT - height)}
              width={fixed(width)}
              height={fixed(height)}
            >
              <title>{`${day}: ${shownAmount(spend, currency)}`}</title>
            </rect>
          );
        })}
        <line class="axis" x1={0} y1={HEIGHT} x2={WIDTH} y2={HEIGHT} />
        <text x={2} y={HEIGHT + 15}>
          {first}
        </text>
        <text x={WIDTH - 2} y={HEIGHT + 15} text-anchor="end">
          {last}
        </text>
      </svg>
      <details>
        <summary>The same in numbers</summary>
        <Table
          caption="Delivered by day"
          rows={days}
          empty="Nothing."
          columns={[
            { heading: 'Day (UTC)', cell: ({ day }) => day },
            { heading: 'Impressions', isNumber: true, cell: ({ impressions }) => <Count of={impressions} /> },
            { heading: 'Spent', isNumber: true, cell: ({ spend }) => <Money of={spend} currency={currency} /> },
          ]}
        />
      </details>
    </>
  );
}

function fixed(length: number): string {
  return length.toFixed(1);
}
