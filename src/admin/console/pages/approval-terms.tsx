import type { ApprovalView } from '../../operator/approvals/approval-view.ts';
import type { Markup } from '../html/markup.ts';
import { standingColumns } from '../parts/package-columns.tsx';
import { priceOfPackage } from '../parts/price-words.ts';
import { Table } from '../parts/table.tsx';
import { TermsDifference } from '../parts/terms-difference.tsx';
import { Day, Money, Said, State } from '../parts/words.tsx';

/** The media buy that an approval is about, as it stands. */
export function BuyAsItStands({ approval: { media_buy, money } }: { approval: ApprovalView }): Markup {
  if (media_buy === null) return <></>;
  return (
    <>
      <h2>The media buy as it stands</h2>
      <p>
        <Day at={media_buy.start_time} />
        {' to '}
        <Day at={media_buy.end_time} />
        {', '}
        <State of={media_buy.status} />
      </p>
      <Table
        caption="Packages"
        rows={media_buy.packages}
        empty="It has no packages."
        columns={[
          { heading: 'Product', cell: (line) => <Said>{line.product_name}</Said> },
          { heading: 'Price', cell: (line) => priceOfPackage(line, money.currency) },
          { heading: 'Budget', isNumber: true, cell: (line) => <Money of={line.budget} currency={money.currency} /> },
          { heading: 'Creatives', cell: (line) => <Said>{line.creative_ids.join(', ')}</Said> },
          ...standingColumns(media_buy.packages),
        ]}
      />
    </>
  );
}

/** What a change of it would make of it: of an approval that is to be decided still. */
export function WhatChanges({ approval }: { approval: ApprovalView }): Markup {
  const { operation, media_buy, terms_now, asked_terms, other_changes } = approval;
  if (operation !== 'update_media_buy' || media_buy === null || terms_now === null) return <></>;
  return (
    <>
      <h2>What changes</h2>
      {asked_terms !== null && asked_terms.digest !== terms_now.digest && (
        <p class="note">The media buy has changed since this was asked: a yes now grants these terms.</p>
      )}
      <TermsDifference buy={media_buy} terms={terms_now} others={other_changes} />
    </>
  );
}
