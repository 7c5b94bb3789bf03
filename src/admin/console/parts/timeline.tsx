import type { Markup } from '../html/markup.ts';
import { Table } from './table.tsx';
import { barsOf, LANE } from './task-passages.ts';
import type { Bar, Passage } from './task-passages.ts';
import { headingOf, Said, State } from './words.tsx';

const HEIGHT = 16;
const BAD = ['failed', 'rejected', 'canceled', 'exhausted', 'gone'];

/** What a task went through, in order: each in words, and as a bar on the one scale of all. */
export function Timeline({ passages, now }: { passages: readonly Passage[]; now: number }): Markup {
  const bars = barsOf(passages, now);
  return (
    <Table
      caption="Timeline, oldest first"
      rows={passages.map((passage, i) => ({ ...passage, bar: bars[i] }))}
      empty="Nothing yet."
      columns={[
        { heading: 'When (UTC)', cell: ({ at }) => <Instant at={at} /> },
        { heading: 'What', cell: ({ what }) => headingOf(what) },
        { heading: 'State', cell: ({ state }) => state !== undefined && <State of={state} /> },
        { heading: 'Said', isWide: true, cell: (one) => <Words of={one} /> },
        { heading: 'Took', cell: ({ at, until }) => (until === null ? 'goes on' : tookOf(at, until)) },
        { heading: 'Course', cell: ({ bar, ...one }) => bar && <Lane bar={bar} of={one} /> },
      ]}
    />
  );
}

function Words({ of: { words, to } }: { of: Passage }): Markup {
  if (to === undefined) return <Said>{words}</Said>;
  return (
    <a href={`/admin${to}`}>
      <Said>{words}</Said>
    </a>
  );
}

/** The row says the same in words. */
function Lane({ bar: { from, length }, of: { what, state } }: { bar: Bar; of: Passage }): Markup {
  const isBad = what === 'fault' || (state !== undefined && BAD.includes(state));
  const waits = what === 'approval' || what === 'question';
  return (
    <svg class="lane" viewBox={`0 0 ${LANE} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <rect class="track" width={LANE} height={HEIGHT} />
      <rect class={barClass(isBad, waits)} x={from} width={length} height={HEIGHT} />
    </svg>
  );
}

function barClass(isBad: boolean, waits: boolean): string {
  if (isBad) return 'bar bad';
  return waits ? 'bar booked' : 'bar';
}

function Instant({ at }: { at: string }): Markup {
  return <time datetime={at}>{at.slice(0, 19).replace('T', ' ')}</time>;
}

/** How long something took, as exactly as it is of use; nothing of a moment. Pure. */
export function tookOf(at: string, until: string): string {
  const ms = Date.parse(until) - Date.parse(at);
  if (ms <= 0) return '';
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const [minutes, hours] = [Math.floor(ms / 60_000), Math.floor(ms / 3_600_000)];
  if (hours === 0) return `${minutes} min ${Math.floor((ms % 60_000) / 1_000)} s`;
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days ${hours % 24} h`;
}
