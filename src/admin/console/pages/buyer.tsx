import { listBuyerKeys } from '../../operator/buyers/api-keys.ts';
import { listGrants } from '../../operator/buyers/grants.ts';
import { listBuyerPeople } from '../../operator/buyers/people.ts';
import { listRefusals } from '../../operator/buyers/refusals.ts';
import { restoreBuyer, showBuyer, suspendBuyer } from '../../operator/buyers/operations.ts';
import { showBuyerLimits } from '../../operator/buyers/limits.ts';
import { showBuyerStanding } from '../../operator/buyers/standing.ts';
import { listOrganizationDomains } from '../../operator/registry/domains.ts';
import { listBuys } from '../../operator/buys/operations.ts';
import { whoWords } from '../../operator/who-words.ts';
import type { ConsolePage } from '../console-page.ts';
import type { Markup } from '../html/markup.ts';
import { standingFacts } from '../parts/buyer-standing.tsx';
import { ActionForm, WordsField } from '../parts/action-form.tsx';
import { ChoiceField, phraseOf } from '../parts/fields.tsx';
import { queryOf } from '../parts/paging.tsx';
import { RoleNote } from '../parts/role-note.tsx';
import { Facts, Table } from '../parts/table.tsx';
import { IdLink, Money, pageOfId, State, Said, When } from '../parts/words.tsx';
import { BuyerDomains } from './buyer-domains.tsx';
import { LimitsSection } from './buyer-limits.tsx';
import { BuyerRefusals } from './buyer-refusals.tsx';
import { BuyerGrants, BuyerKeys, BuyerPeople, BuyerPortal } from './buyer-access.tsx';

/** Of the media buys that run, and of refusals; more media buys are led to. */
const MOST_SHOWN = 10;

/** One organization: its keys, what it buys, and whether it may. */
export const buyerPage: ConsolePage = {
  path: '/buyers/:organization_id',
  async show(call) {
    const { now, read } = call;
    const { organization_id = '' } = call.params;
    const params = { organization_id };
    const query = { organization_id, status: 'active', limit: String(MOST_SHOWN) };
    const [limits, standing, buyer, keys, { people }, { grants }, { media_buys, cursor }, { domains }, { refusals }] =
      await Promise.all([
        read(showBuyerLimits, { params }),
        read(showBuyerStanding, { params }),
        read(showBuyer, { params }),
        read(listBuyerKeys, { params }),
        read(listBuyerPeople, { params }),
        read(listGrants, { query: { organization_id } }),
        read(listBuys, { query }),
        read(listOrganizationDomains, { query: { organization_id } }),
        read(listRefusals, { params, query: { limit: String(MOST_SHOWN) } }),
      ]);
    const { suspension, suspended_at } = buyer;
    const body = (
      <>
        <p class="crumbs">
          <a href="/admin/buyers">Buyers</a>
          {` / ${organization_id}`}
        </p>
        <h1>
          <Said>{buyer.name}</Said>
        </h1>
        <Facts
          of={[
            ['State', <State of={suspended_at === null ? buyer.state : 'suspended'} />],
            ['Suspended', suspended_at !== null && <When at={suspended_at} now={now} />],
            ['Why', suspension !== null && <Said>{`${suspension.reason} (${whoWords(suspension.by)})`}</Said>],
            ['Kind', buyer.company_type],
            ['Domain', buyer.corporate_domain !== null && <Said>{buyer.corporate_domain}</Said>],
            ['Since', <When at={buyer.created_at} now={now} />],
            ...standingFacts(standing, now),
            ['All of theirs', <Links organization_id={organization_id} />],
          ]}
        />
        <h2>Media buys that run</h2>
        <Table
          caption="Media buys that run"
          rows={media_buys}
          empty="None runs."
          columns={[
            {
              heading: 'Media buy',
              cell: (buy) => <IdLink of={buy.media_buy_id} to={pageOfId('/buys', buy.media_buy_id)} />,
            },
            { heading: 'Reference', cell: (buy) => <Said>{buy.buyer_ref}</Said> },
            {
              heading: 'Budget',
              isNumber: true,
              cell: (buy) => <Money of={buy.total_budget} currency={buy.currency} />,
            },
          ]}
        />
        {cursor !== undefined && (
          <p class="pages">
            <a href={`/admin/buys${queryOf({ organization_id, status: 'active' })}`}>All that run</a>
          </p>
        )}
        <BuyerRefusals refusals={refusals} now={now} />
        <BuyerKeys
          call={call}
          organization_id={organization_id}
          keys={keys.api_keys}
          hasMore={keys.cursor !== undefined}
        />
        <BuyerPortal call={call} organization_id={organization_id} />
        <BuyerPeople call={call} people={people} />
        <BuyerGrants call={call} grants={grants} />
        <BuyerDomains call={call} organization_id={organization_id} domains={domains} />
        <LimitsSection call={call} limits={limits} />
        <h2>Access</h2>
        <RoleNote call={call} role={suspendBuyer.role} />
        <div class="forms">
          {suspended_at === null ? (
            <ActionForm
              call={call}
              operation={suspendBuyer}
              of={params}
              label="Suspend"
              isFinal
              phrase={media_buys.length === 0 ? undefined : phraseOf(buyer.name, organization_id)}
            >
              <p>{`Once suspended, within 3 seconds their credentials open nothing, and their tasks wait. ${goingOn(media_buys.length)}`}</p>
              <ChoiceField
                name="webhooks"
                label="Webhooks to them"
                choices={[
                  ['go_on', 'go on'],
                  ['stop', 'wait, too'],
                ]}
              />
              <WordsField name="reason" label="Reason" hint="For the record; the buyer is not told." isNeeded />
            </ActionForm>
          ) : (
            <ActionForm call={call} operation={restoreBuyer} of={params} label="Restore" />
          )}
        </div>
      </>
    );
    return { title: buyer.name, body };
  },
};

function Links({ organization_id }: { organization_id: string }): Markup {
  const query = queryOf({ organization_id });
  return (
    <>
      <a href={`/admin/buys${query}`}>media buys</a> <a href={`/admin/tasks${query}&state=all`}>tasks</a>{' '}
      <a href={`/admin/webhooks${query}`}>webhooks</a> <a href={`/admin/creatives${query}`}>creatives</a>{' '}
      <a href={`/admin/buyer-accounts${query}`}>accounts</a> <a href={`/admin/registry/agents${query}`}>agents</a>
    </>
  );
}

/** `count`: of those that run, as many as are read. */
function goingOn(count: number): string {
  if (count === 0) return 'No media buy of theirs runs.';
  const many = count >= MOST_SHOWN ? `${MOST_SHOWN} or more` : String(count);
  return `Media buys of theirs that go on meanwhile, are billed, and cannot be changed by them: ${many}.`;
}
