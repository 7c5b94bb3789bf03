import type { PackageView } from '../../../sales/media-buy/media-buy-view.ts';
import type { Column } from './table.tsx';
import { Day, State } from './words.tsx';

/** When packages run and whether they are held by themselves: of those that all run as their media buy does, no column. */
export function standingColumns(packages: readonly PackageView[]): Column<PackageView>[] {
  const runs: Column<PackageView> = { heading: 'Runs', cell: (line) => <OwnFlight of={line} /> };
  const held: Column<PackageView> = { heading: 'Held', cell: ({ paused }) => paused && <State of="paused" /> };
  return [
    ...(packages.some(({ start_time, end_time }) => start_time !== undefined || end_time !== undefined) ? [runs] : []),
    ...(packages.some(({ paused }) => paused) ? [held] : []),
  ];
}

function OwnFlight({ of: { start_time, end_time } }: { of: PackageView }) {
  if (start_time === undefined && end_time === undefined) return <>as the media buy</>;
  return (
    <>
      {start_time !== undefined && (
        <>
          {'from '}
          <Day at={start_time} />
        </>
      )}
      {start_time !== undefined && end_time !== undefined && ' '}
      {end_time !== undefined && (
        <>
          {'until '}
          <Day at={end_time} />
        </>
      )}
    </>
  );
}
