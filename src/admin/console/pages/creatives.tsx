import { REVIEW_MARKERS } from '../../../sales/creative/review/simulated-review.ts';
import { CreativeStatus } from '../../../sales/creative/creative.ts';
import { listCreativesInReview } from '../../operator/creatives/operations.ts';
import type { OperatorCreative } from '../../operator/creatives/operations.ts';
import type { ConsolePage } from '../console-page.ts';
import { BuyerLink } from '../parts/buyer-of.tsx';
import { BUYER_FIELD, FilterBar } from '../parts/filter-bar.tsx';
import type { FilterField } from '../parts/filter-bar.tsx';
import { Pages, Tabs } from '../parts/paging.tsx';
import { Table } from '../parts/table.tsx';
import { IdLink, pageOfId, State, Said, When } from '../parts/words.tsx';

const FIELDS: readonly FilterField[] = [
  BUYER_FIELD,
  { name: 'format', label: 'Format', kind: 'text', hint: 'display_300x250' },
];
const NOTE =
  'By a buyer or by a format’s whole id, not by both. What an earlier release took in is found by its format once its buyer sends it anew.';

/** What is in review, the oldest first; other states, too. */
export const creativesPage: ConsolePage = {
  path: '/creatives',
  menu: 'Creatives',
  topics: ['creatives'],
  list: { of: listCreativesInReview, rows: 'creatives' },
  async show({ query, read, now }) {
    const { status = 'in_review', organization_id, format } = query;
    const { creatives, cursor } = await read(listCreativesInReview, { query: { ...query, status } });
    const body = (
      <>
        <h1>Creatives</h1>
        <Tabs
          label="Which creatives"
          path="/creatives"
          name="status"
          choices={['in_review', ...CreativeStatus.options]}
          chosen={status}
          keeping={{ organization_id, format }}
        />
        <FilterBar path="/creatives" query={query} fields={FIELDS} keeping={{ status: query['status'] }} note={NOTE} />
        <Table
          caption="Creatives"
          rows={creatives}
          empty={(organization_id ?? format) === undefined ? whyNone(status) : NONE_CHOSEN}
          columns={[
            { heading: 'Creative', cell: (one) => <IdLink of={one.creative_id} to={pageOf(one)} /> },
            { heading: 'Name', cell: (one) => <Said>{one.name}</Said> },
            { heading: 'Buyer', cell: (one) => <BuyerLink of={one} /> },
            { heading: 'Account', cell: (one) => <Said>{one.account_id ?? 'shared'}</Said> },
            { heading: 'Format', cell: (one) => <Said>{one.format_id.id}</Said> },
            { heading: 'State', cell: (one) => <State of={one.status} /> },
            { heading: 'Came in', cell: (one) => <When at={one.submitted_at} now={now} /> },
            { heading: 'Serves in', cell: (one) => <a href={`/admin${pageOf(one)}#serves`}>its packages</a> },
          ]}
        />
        <Pages path="/creatives" query={query} cursor={cursor} />
      </>
    );
    return { title: 'Creatives', body };
  },
};

/** What makes a creative wait for somebody here, in a sentence. */
export const WHY_A_PERSON = `A creative waits for a person where the review leaves it open, which the simulated one does with “${REVIEW_MARKERS.hold}” in its name, its tags or its assets.`;

const NONE_CHOSEN = 'There is none of this buyer or format in this state: choose another state, or ask for all buyers.';

function whyNone(status: string): string {
  if (status === 'in_review')
    return `None waits for review. What a buyer sends by sync_creatives stands here until the review has approved or rejected it, the simulated one within CREATIVE_REVIEW_SECONDS. ${WHY_A_PERSON}`;
  return `None is ${status.replaceAll('_', ' ')}. Buyers send theirs by sync_creatives; what waits for a person is in review.`;
}

function pageOf({ organization_id, creative_ref }: OperatorCreative): string {
  return `${pageOfId('/creatives', organization_id)}/${encodeURIComponent(creative_ref)}`;
}
