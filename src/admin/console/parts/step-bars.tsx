import type { Markup } from '../html/markup.ts';
import { Table } from './table.tsx';
import type { Column } from './table.tsx';
import { Count, Day } from './words.tsx';

/** What ended in a step of time. */
export interface EndedInStep {
  /** Its first instant. */
  at: string;
  /** By state, all that there are. */
  counts: Readonly<Record<string, number>>;
  /** Within how many seconds 95 of 100 were done; undefined where none was, or later than is told apart. */
  p95Seconds?: number | undefined;
  /** Jobs that waited; absent in all: nobody says. */
  queued?: number;
}

const WIDTH = 920;
const HEIGHT = 120;
/** Above what is highest. */
const HEAD = 12;

/** How many of something ended well and otherwise, step by step: as bars, in words, and as a table. */
export function StepBars({
  what,
  good,
  states,
  steps,
  stepSeconds,
}: {
  what: string;
  /** The state of what ended well. */
  good: string;
  states: readonly string[];
  steps: readonly EndedInStep[];
  stepSeconds: number;
}): Markup {
  const ended = steps.map(({ counts }) => {
    const well = counts[good] ?? 0;
    return { well, all: states.reduce((sum, state) => sum + (counts[state] ?? 0), 0) };
  });
  const most = Math.max(1, ...ended.map(({ all }) => all));
  const step = WIDTH / Math.max(1, steps.length);
  const words = inWords(what, good, ended);
  const heightOf = (count: number) => (count / most) * (HEIGHT - HEAD);
  const bar = (kind: string, i: number, from: number, count: number) =>
    count > 0 && (
      <rect
        class={kind}
        x={fixed(i * step + step * 0.1)}
        y={fixed(HEIGHT - heightOf(from + count))}
        width={fixed(step * 0.8)}
        height={fixed(heightOf(count))}
      />
    );
  return (
    <section>
      <h3>{what}</h3>
      <p>{words}</p>
      {ended.some(({ all }) => all > 0) && (
        <>
          <svg viewBox={`0 0 ${WIDTH} ${HEIGHT + 2}`} role="img" aria-label={`${what}. ${words}`}>
            {ended.map(({ well, all }, i) => (
              <g>
                <title>{`${steps[i]?.at ?? ''}: ${well} ${good}, ${all - well} otherwise`}</title>
                {bar('bar', i, 0, well)}
                {bar('bar bad', i, well, all - well)}
              </g>
            ))}
            <line class="axis" x1={0} y1={HEIGHT} x2={WIDTH} y2={HEIGHT} />
          </svg>
          <p class="quiet">
            <svg class="key" viewBox="0 0 10 10" aria-hidden="true">
              <rect class="bar" width={10} height={10} />
            </svg>
            {` ${good}, `}
            <svg class="key" viewBox="0 0 10 10" aria-hidden="true">
              <rect class="bar bad" width={10} height={10} />
            </svg>
            {` otherwise, by the ${stepInWords(stepSeconds)}, at most ${shown(most)}; from `}
            <Day at={steps[0]?.at ?? ''} />
            {' to '}
            <Day at={steps.at(-1)?.at ?? ''} />
            {' (UTC)'}
          </p>
        </>
      )}
      <details>
        <summary>{`${what} in numbers`}</summary>
        <Table
          caption={what}
          rows={steps.toReversed()}
          empty="Nothing."
          columns={[
            { heading: 'From (UTC)', cell: ({ at }) => <Day at={at} /> },
            ...states.map((state) => ({
              heading: state,
              isNumber: true,
              cell: ({ counts }: EndedInStep) => <Count of={counts[state] ?? 0} />,
            })),
            ...(steps.some(({ queued }) => queued !== undefined) ? howSoon(states) : []),
          ]}
        />
      </details>
    </section>
  );
}

/** What is counted besides, where processes wrote it down. */
function howSoon(states: readonly string[]): Column<EndedInStep>[] {
  return [
    { heading: '95 % within', isNumber: true, cell: (one) => withinOf(one, states) },
    { heading: 'Jobs waiting', isNumber: true, cell: ({ queued = 0 }) => <Count of={queued} /> },
  ];
}

function inWords(what: string, good: string, ended: readonly { well: number; all: number }[]): string {
  const [well, all] = [sum(ended.map((one) => one.well)), sum(ended.map((one) => one.all))];
  if (all === 0) return `None ended in this time.`;
  return `${shown(all)} ${what.toLowerCase()} ended, ${shown(well)} of them ${good} (${((well / all) * 100).toFixed(1)} %).`;
}

function withinOf({ p95Seconds, counts }: EndedInStep, states: readonly string[]): string {
  if (p95Seconds !== undefined) return p95Seconds < 60 ? `${p95Seconds} s` : `${p95Seconds / 60} min`;
  return sum(states.map((state) => counts[state] ?? 0)) === 0 ? '' : 'not told';
}

function stepInWords(seconds: number): string {
  if (seconds < 3_600) return seconds === 60 ? 'minute' : `${seconds / 60} minutes`;
  if (seconds === 86_400) return 'day';
  return seconds === 3_600 ? 'hour' : `${seconds / 3_600} hours`;
}

function shown(count: number): string {
  return count.toLocaleString('en');
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}

function fixed(length: number): string {
  return length.toFixed(1);
}
