import type { GrantView } from '../../operator/approvals/grant-view.ts';
import type { OtherChangesView } from '../../operator/approvals/other-changes.ts';
import type { MediaBuyView } from '../../../sales/media-buy/media-buy-view.ts';
import type { Markup } from '../html/markup.ts';
import { otherDifferences } from './other-differences.tsx';
import type { ChangedRow } from './other-differences.tsx';
import { Table } from './table.tsx';
import { Day, Money, Said } from './words.tsx';

/**
 * What an approval would change in a media buy that stands: its dates and its money, and package by package what the request says besides.
 * `others`: null where it does not say, in words that are read.
 */
export function TermsDifference({
  buy,
  terms,
  others,
}: {
  buy: MediaBuyView;
  terms: GrantView;
  others: OtherChangesView | null;
}): Markup {
  return (
    <Table
      caption="What changes"
      rows={[...differences(buy, terms), ...(others === null ? [] : otherDifferences(others, terms.currency))]}
      empty={
        others === null
          ? 'Neither dates nor money: the request says what it is.'
          : 'Neither dates nor money, nor pause, bid, targeting or creatives of a package: the request says what it is.'
      }
      columns={[
        { heading: 'What', cell: ({ what }) => what },
        { heading: 'As it stands', cell: ({ before }) => before },
        { heading: 'Would become', cell: ({ after }) => after },
      ]}
    />
  );
}

function differences(buy: MediaBuyView, terms: GrantView): ChangedRow[] {
  const money = (amount: number | undefined) => <Money of={amount} currency={terms.currency} />;
  const day = (at: string) => (at === 'asap' ? 'as soon as it can' : <Day at={at} />);
  const after = new Map(terms.packages.map(({ package_id, budget }) => [package_id, budget]));
  const before = new Map(buy.packages.map((line) => [line.package_id, line]));
  const packages = [...new Set([...before.keys(), ...after.keys()])].map((id) => {
    const line = before.get(id);
    return {
      isChanged: line?.budget !== after.get(id),
      what: <Said>{line === undefined ? `New package ${id}` : `Budget of ${line.product_name}, ${id}`}</Said>,
      ...{ before: money(line?.budget), after: money(after.get(id)) },
    };
  });
  return [
    {
      isChanged: buy.total_budget !== terms.total,
      what: 'Total budget',
      ...{ before: money(buy.total_budget), after: money(terms.total) },
    },
    {
      isChanged: buy.start_time !== terms.start_time,
      what: 'Start',
      ...{ before: day(buy.start_time), after: day(terms.start_time) },
    },
    {
      isChanged: buy.end_time !== terms.end_time,
      what: 'End',
      ...{ before: day(buy.end_time), after: day(terms.end_time) },
    },
    ...packages,
  ].filter(({ isChanged }) => isChanged);
}
