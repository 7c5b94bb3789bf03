import { shownAmount } from '../../../platform/money.ts';
import type { TurnoverView } from '../../operator/stats/operations.ts';
import type { Markup } from '../html/markup.ts';
import { Money } from './words.tsx';
import { Table } from './table.tsx';

const WIDTH = 920;
const HEIGHT = 120;
/** Above what is highest. */
const HEAD = 12;

/** What was booked and what was delivered in one currency, day by day, beside each other: as bars, in words, and as a table. */
export function MoneyBars({ of: { currency, booked, delivered, days } }: { of: TurnoverView }): Markup {
  const most = Math.max(...days.flatMap((day) => [day.booked ?? 0, day.delivered ?? 0]));
  const step = WIDTH / days.length;
  const words = `Booked ${shownAmount(booked, currency)}, delivered ${shownAmount(delivered, currency)}.`;
  const bar = (kind: string, left: number, amount = 0) => {
    const height = most === 0 ? 0 : (amount / most) * (HEIGHT - HEAD);
    return (
      amount > 0 && (
        <rect
          class={kind}
          x={fixed(left)}
          y={fixed(HEIGHT - height)}
          width={fixed(step * 0.4)}
          height={fixed(height)}
        />
      )
    );
  };
  return (
    <section>
      <h3>{currency}</h3>
      <p>{words}</p>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT + 2}`} role="img" aria-label={`${currency} by day. ${words}`}>
        {days.map((day, i) => (
          <g>
            <title>{`${day.day}: booked ${said(day.booked, currency)}, delivered ${said(day.delivered, currency)}`}</title>
            {bar('bar booked', i * step + step * 0.08, day.booked)}
            {bar('bar', i * step + step * 0.5, day.delivered)}
          </g>
        ))}
        <line class="axis" x1={0} y1={HEIGHT} x2={WIDTH} y2={HEIGHT} />
      </svg>
      <p class="quiet">
        <svg class="key" viewBox="0 0 10 10" aria-hidden="true">
          <rect class="bar booked" width={10} height={10} />
        </svg>
        {' booked, '}
        <svg class="key" viewBox="0 0 10 10" aria-hidden="true">
          <rect class="bar" width={10} height={10} />
        </svg>
        {` delivered, by the day, at most ${shownAmount(most, currency)}; from ${days[0]?.day ?? ''} to ${days.at(-1)?.day ?? ''} (UTC)`}
      </p>
      <details>
        <summary>{`${currency} in numbers`}</summary>
        <Table
          caption={`${currency} by day`}
          rows={days.toReversed()}
          empty="Nothing."
          columns={[
            { heading: 'Day (UTC)', cell: ({ day }) => day },
            { heading: 'Booked', isNumber: true, cell: (day) => <Money of={day.booked} currency={currency} /> },
            { heading: 'Delivered', isNumber: true, cell: (day) => <Money of={day.delivered} currency={currency} /> },
          ]}
        />
      </details>
    </section>
  );
}

function said(amount: number | undefined, currency: string): string {
  return amount === undefined ? 'not summed yet' : shownAmount(amount, currency);
}

function fixed(length: number): string {
  return length.toFixed(1);
}
