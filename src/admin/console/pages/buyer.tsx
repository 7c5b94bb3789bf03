import { listBuyerKeys, revokeBuyerKey } from '../../operator/buyers/api-keys.ts';
import type { BuyerKeyView } from '../../operator/buyers/api-keys.ts';
import { restoreBuyer, showBuyer, suspendBuyer } from '../../operator/buyers/operations.ts';
import { listBuys } from '../../operator/buys/operations.ts';
import type { ConsolePage, PageCall } from '../console-page.ts';
import type { Markup } from '../html/markup.ts';
import { ActionForm, WordsField } from '../parts/action-form.tsx';
import { queryOf } from '../parts/paging.tsx';
import { Facts, Table } from '../parts/table.tsx';
import { IdLink, Money, pageOfId, State, Said, When } from '../parts/words.tsx';

/** One organization: its keys, what it buys, and whether it may. */
export const buyerPage: ConsolePage = {
  path: '/buyers/:organization_id',
  async show(call) {
    const { now, read } = call;
    const { organization_id = '' } = call.params;
    const params = { organization_id };
    const [buyer, { api_keys }, { media_buys }] = await Promise.all([
      read(showBuyer, { params }),
      read(listBuyerKeys, { params }),
      read(listBuys, { query: { organization_id, status: 'active', limit: '10' } }),
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
            ['Why', suspension !== null && <Said>{`${suspension.reason} (${suspension.by})`}</Said>],
            ['Domain', buyer.corporate_domain !== null && <Said>{buyer.corporate_domain}</Said>],
            ['Since', <When at={buyer.created_at} now={now} />],
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
        <Keys call={call} keys={api_keys} />
        <h2>Access</h2>
        <div class="forms">
          {suspended_at === null ? (
            <ActionForm call={call} operation={suspendBuyer} of={params} label="Suspend" isFinal>
              <p>Their credentials open nothing, their tasks wait, their media buys go on.</p>
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
      <a href={`/admin/buys${query}`}>media buys</a>
      {', '}
      <a href={`/admin/tasks${query}&state=completed`}>tasks</a>
      {', '}
      <a href={`/admin/webhooks${query}`}>webhooks</a>
      {', '}
      <a href={`/admin/creatives${query}`}>creatives</a>
    </>
  );
}

function Keys({ call, keys }: { call: PageCall; keys: readonly BuyerKeyView[] }): Markup {
  const { now } = call;
  return (
    <>
      <h2>API keys</h2>
      <Table
        caption="API keys, newest first"
        rows={keys}
        empty="It has none. Make one, to be shown once: npm run agent -- buyers keys add ORG NAME"
        columns={[
          { heading: 'Name', cell: (key) => <Said>{key.name}</Said> },
          { heading: 'Key', cell: (key) => <IdLink of={key.api_key_id} /> },
          { heading: 'May', cell: (key) => key.scopes.join(', ') },
          { heading: 'Made', cell: (key) => <When at={key.created_at} now={now} /> },
          { heading: 'Last used', cell: (key) => <When at={key.last_used_at} now={now} /> },
          { heading: 'Ends', cell: (key) => key.expires_at && <When at={key.expires_at} now={now} /> },
          {
            heading: 'Take back',
            cell: (key) =>
              key.revoked_at === null ? (
                <details>
                  <summary>Revoke</summary>
                  <ActionForm
                    call={call}
                    operation={revokeBuyerKey}
                    of={{ organization_id: key.organization_id, api_key_id: key.api_key_id }}
                    label="Revoke for good"
                    isFinal
                  >
                    <WordsField name="reason" label="Reason" isNeeded />
                  </ActionForm>
                </details>
              ) : (
                <State of="revoked" />
              ),
          },
        ]}
      />
    </>
  );
}
