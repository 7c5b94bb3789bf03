import { shownAmount } from '../../../platform/money.ts';
import { COUNTED_OF_EACH } from '../../operator/buyers/figures.ts';
import { BUYER_STATES, listBuyers } from '../../operator/buyers/list.ts';
import type { ListedBuyerView } from '../../operator/buyers/list.ts';
import { addBuyer } from '../../operator/buyers/operations.ts';
import type { ConsolePage } from '../console-page.ts';
import type { Markup } from '../html/markup.ts';
import { ActionForm } from '../parts/action-form.tsx';
import { BuyerLink } from '../parts/buyer-of.tsx';
import { LineField } from '../parts/fields.tsx';
import { FilterBar } from '../parts/filter-bar.tsx';
import type { FilterField } from '../parts/filter-bar.tsx';
import { Pages, queryOf, Tabs } from '../parts/paging.tsx';
import { Table } from '../parts/table.tsx';
import { Said, State, When } from '../parts/words.tsx';

/** Why a tab may be empty, and what would fill it. */
const WHY_NONE: Readonly<Record<string, string>> = {
  active: 'There is none yet. An admin adds one below, and makes its API key on its page.',
  suspended: 'None is suspended. A buyer is suspended on its own page.',
  prospect: 'The registry knows no organization that nobody has signed up for.',
};

const FIELDS: readonly FilterField[] = [{ name: 'domain', label: 'Domain', kind: 'text', hint: 'acme.example' }];
const NOTE = 'A whole domain, that an organization has proved or that is on record of it.';

/** Organizations, newest first, with what each has and does. */
export const buyersPage: ConsolePage = {
  path: '/buyers',
  menu: 'Buyers',
  list: { of: listBuyers, rows: 'buyers' },
  async show(call) {
    const { query, read, now } = call;
    const { domain } = query;
    const state = query['state'] ?? (domain === undefined ? 'active' : undefined);
    const { buyers, cursor } = await read(listBuyers, { query: { ...query, state } });
    const body = (
      <>
        <h1>Buyers</h1>
        <p>
          All organizations that this agent knows, sellers of the registry, too. Each buys with an API key, which its
          page makes, or with one of its people signed in.
        </p>
        <Tabs
          label="Which buyers"
          path="/buyers"
          name="state"
          choices={BUYER_STATES}
          chosen={state ?? ''}
          keeping={{ domain }}
        />
        <FilterBar path="/buyers" query={query} fields={FIELDS} keeping={{ state: query['state'] }} note={NOTE} />
        <Table
          caption="Buyers"
          rows={buyers}
          empty={domain === undefined ? (WHY_NONE[state ?? ''] ?? 'There are none.') : 'No such one has this domain.'}
          columns={[
            {
              heading: 'Organization',
              isWide: true,
              cell: (one) => (
                <>
                  <BuyerLink of={{ organization_id: one.organization_id, organization_name: one.name }} />
                  <KindAndDomain of={one} />
                </>
              ),
            },
            { heading: 'State', cell: (one) => <State of={one.suspended_at === null ? one.state : 'suspended'} /> },
            { heading: 'People', isNumber: true, cell: (one) => counted(one.people) },
            { heading: 'Keys', isNumber: true, cell: (one) => counted(one.api_keys) },
            { heading: 'Open buys', isNumber: true, cell: (one) => <OpenBuys of={one} /> },
            { heading: 'Open budgets', isNumber: true, cell: (one) => <OpenBudgets of={one} /> },
            { heading: 'Last call', cell: (one) => <When at={one.last_call_at} now={now} /> },
            { heading: 'Refused, 24 h', cell: (one) => <Refused of={one} /> },
            { heading: 'Since', cell: (one) => <When at={one.created_at} now={now} /> },
          ]}
        />
        <p class="quiet">
          {`Of each, people, keys, buys and tasks are counted up to ${COUNTED_OF_EACH}; money with a + is that of some of its open buys. Open are media buys that are not over, whether they wait, run or are paused, and open budgets are theirs, with changes on their way; booked, on a buyer’s page, counts those that are over, too, and not what waits for approval. Refused are tasks of the last 24 hours that were rejected or failed.`}
        </p>
        <p>
          <a href="/admin/grants">Applications that people let in</a>
          {', for all buyers at once.'}
        </p>
        <Pages path="/buyers" query={query} cursor={cursor} />
        <div class="forms more">
          <ActionForm call={call} operation={addBuyer} of={{}} label="Add">
            <h2>Add a buyer</h2>
            <p>An organization without people and keys; its page makes its first key.</p>
            <LineField name="name" label="Name" isNeeded />
          </ActionForm>
        </div>
      </>
    );
    return { title: 'Buyers', body };
  },
};

function counted(count: number): string {
  return count < COUNTED_OF_EACH ? String(count) : `${COUNTED_OF_EACH}+`;
}

function KindAndDomain({ of: { company_type, corporate_domain } }: { of: ListedBuyerView }): Markup {
  if (company_type === null && corporate_domain === null) return <></>;
  return (
    <p class="below">
      {company_type}
      {company_type !== null && corporate_domain !== null && ', '}
      <Said>{corporate_domain}</Said>
    </p>
  );
}

function OpenBuys({ of: { organization_id, open_media_buys } }: { of: ListedBuyerView }): Markup {
  if (open_media_buys === 0) return <>0</>;
  return <a href={`/admin/buys${queryOf({ organization_id })}`}>{counted(open_media_buys)}</a>;
}

/** A line for each currency. */
function OpenBudgets({ of: { committed, is_all_committed } }: { of: ListedBuyerView }): Markup {
  const [first, ...others] = committed.map(
    ({ currency, amount }) => `${shownAmount(amount, currency)}${is_all_committed ? '' : '+'}`,
  );
  return (
    <>
      {first}
      {others.map((words) => (
        <p class="below">{words}</p>
      ))}
    </>
  );
}

/** How many of its tasks ended so, and the list of them. */
function Refused({ of: { organization_id, last_24_hours } }: { of: ListedBuyerView }): Markup {
  const some = (['rejected', 'failed'] as const).filter((state) => last_24_hours[state] > 0);
  if (some.length === 0) return <span class="quiet">none</span>;
  return (
    <>
      {some.map((state) => (
        <>
          {`${counted(last_24_hours[state])} `}
          <a href={`/admin/tasks${queryOf({ organization_id, state })}`}>
            <State of={state} />
          </a>{' '}
        </>
      ))}
    </>
  );
}
