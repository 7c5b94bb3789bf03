import { isDeepStrictEqual } from 'node:util';
import type { OtherChangesView } from '../../operator/approvals/other-changes.ts';
import type { Child } from '../html/markup.ts';
import { Money, Said, State } from './words.tsx';

/** A row of what changes. */
export interface ChangedRow {
  what: Child;
  before: Child;
  after: Child;
}

type OfPackage = OtherChangesView['packages'][number];

/** What changes besides dates and money, as rows: pause, bid, targeting axis by axis, and creatives. */
export function otherDifferences({ status, packages }: OtherChangesView, currency: string): ChangedRow[] {
  const whole = status && {
    what: 'The media buy',
    before: <State of={status.before} />,
    after: <State of={status.after} />,
  };
  return [...(whole ? [whole] : []), ...packages.flatMap((line) => ofPackage(line, currency))];
}

function ofPackage(line: OfPackage, currency: string): ChangedRow[] {
  const { paused, bid_price, targeting_overlay, creative_ids } = line;
  const whose = line.is_new ? `new package ${line.package_id}` : `${line.product_name}, ${line.package_id}`;
  const row = <T,>(name: string, change: { before: T; after: T } | undefined, shown: (value: T) => Child) =>
    change === undefined
      ? []
      : [
          {
            what: <Said>{`${name} of ${whose}`}</Said>,
            before: line.is_new ? '-' : shown(change.before),
            after: shown(change.after),
          },
        ];
  return [
    ...row('Standing', paused, (is) => (is ? <State of="paused" /> : 'not paused')),
    ...row('Bid', bid_price, (amount) => <Money of={amount} currency={currency} />),
    ...axesOf(targeting_overlay).flatMap(([axis, change]) =>
      row(`Targeting by ${axis.replaceAll('_', ' ')}`, change, (aim) =>
        aim === undefined ? 'none' : <Said>{JSON.stringify(aim)}</Said>,
      ),
    ),
    ...row('Creatives', creative_ids, (ids) => (ids.length === 0 ? 'none' : <Said>{ids.join(', ')}</Said>)),
  ];
}

/** What of a targeting changes, by its fields. */
function axesOf(change: OfPackage['targeting_overlay']): [axis: string, { before: unknown; after: unknown }][] {
  if (change === undefined) return [];
  const [before, after] = [change.before ?? {}, change.after ?? {}];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((axis) => !isDeepStrictEqual(before[axis], after[axis]))
    .map((axis) => [axis, { before: before[axis], after: after[axis] }]);
}
