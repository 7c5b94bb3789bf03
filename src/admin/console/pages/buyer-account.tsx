import { shownAmount } from '../../../platform/money.ts';
import type { AccountStatus } from '../../../sales/account/account.ts';
import { MOST_OF_ACCOUNT } from '../../operator/buyer-accounts/account-in-full.ts';
import type { BuyerAccountInFullView } from '../../operator/buyer-accounts/account-in-full.ts';
import { moveBuyerAccount, showBuyerAccount } from '../../operator/buyer-accounts/operations.ts';
import type { ConsolePage, PageCall } from '../console-page.ts';
import type { Markup } from '../html/markup.ts';
import { BuyerFact } from '../parts/buyer-of.tsx';
import { ActionForm, WordsField } from '../parts/action-form.tsx';
import { queryOf } from '../parts/paging.tsx';
import { RoleNote } from '../parts/role-note.tsx';
import { Facts, Table } from '../parts/table.tsx';
import { IdLink, Money, pageOfId, Said, State, When } from '../parts/words.tsx';

/** What moves an account to a state, and what comes of it; null: nothing does by hand. */
const MOVES: Record<AccountStatus, { label: string; means: string; isFinal?: true } | null> = {
  active: { label: 'Activate', means: 'Its buyer books and changes under it.' },
  suspended: { label: 'Suspend', means: 'Nothing is booked or changed under it; what is booked runs on.' },
  payment_required: { label: 'Require payment', means: 'The same, and its buyer is told that a payment is missing.' },
  rejected: { label: 'Reject', means: 'Nothing is booked under it, ever. This is for good.', isFinal: true },
  closed: { label: 'Close', means: 'Nothing is booked under it any more. This is for good.', isFinal: true },
  pending_approval: null,
};

/** One account: whose, how it stands, what is bought under it, and who hears of it. */
export const buyerAccountPage: ConsolePage = {
  path: '/buyer-accounts/:account_id',
  topics: ['buys'],
  async show(call) {
    const { params, read, now } = call;
    const account = await read(showBuyerAccount, { params: { ...params } });
    const { account_id, organization_id, media_buys, money } = account;
    const body = (
      <>
        <p class="crumbs">
          <a href="/admin/buyer-accounts">Accounts</a>
          {` / ${account_id}`}
        </p>
        <h1>
          <Said>{account.name}</Said>
        </h1>
        <Facts
          of={[
            ['State', <State of={account.status} />],
            ['Buyer', <BuyerFact of={account} />],
            ['Brand', <Said>{account.brand_domain}</Said>],
            ['One of its brands', account.brand_id !== null && <Said>{account.brand_id}</Said>],
            [
              'Billed to',
              <>
                <Said>{account.operator}</Said>, who acts for the brand
              </>,
            ],
            ['Sandbox', account.sandbox && 'yes: nothing of it is sold'],
            ['Judged by', account.governance_agents?.map(({ url }) => url).join(', ')],
            ['Made', <When at={account.created_at} now={now} />],
            ['Changed', <When at={account.updated_at} now={now} />],
            ...money.map(
              (sum) =>
                [
                  `Booked in ${sum.currency}`,
                  `${shownAmount(sum.booked, sum.currency)} by ${sum.media_buys === 1 ? '1 media buy' : `${sum.media_buys} media buys`}, ${shownAmount(sum.spent, sum.currency)} of it spent`,
                ] as const,
            ),
          ]}
        />
        <p class="quiet">Credit and limits are the organization's, and not kept by account.</p>
        <h2>Media buys</h2>
        <Table
          caption="Media buys, newest first"
          rows={media_buys}
          empty="Nothing has been bought under it."
          columns={[
            {
              heading: 'Media buy',
              cell: (buy) => <IdLink of={buy.media_buy_id} to={pageOfId('/buys', buy.media_buy_id)} />,
            },
            { heading: 'Reference', cell: (buy) => <Said>{buy.buyer_ref}</Said> },
            { heading: 'State', cell: (buy) => <State of={buy.on_hold === undefined ? buy.status : 'held'} /> },
            {
              heading: 'Budget',
              isNumber: true,
              cell: (buy) => <Money of={buy.total_budget} currency={buy.currency} />,
            },
            { heading: 'Made', cell: (buy) => <When at={buy.created_at} now={now} /> },
          ]}
        />
        {account.has_more_buys && (
          <p class="pages">
            <a href={`/admin/buys${queryOf({ organization_id, account_id })}`}>
              {`All of them; above are the newest ${MOST_OF_ACCOUNT}, and what these come to`}
            </a>
          </p>
        )}
        <h2>Who hears of it</h2>
        <Table
          caption="Who hears of it by webhook"
          rows={account.notification_configs}
          empty="Nobody: its buyer names them by notification_configs of sync_accounts."
          columns={[
            { heading: 'Subscriber', cell: (one) => <Said>{one.subscriber_id}</Said> },
            { heading: 'URL', isWide: true, cell: (one) => <Said>{one.url}</Said> },
            { heading: 'Hears of', cell: (one) => one.event_types.join(', ') },
            { heading: 'State', cell: (one) => <State of={one.active ? 'active' : 'ended'} /> },
          ]}
        />
        <h2>State</h2>
        <Moves call={call} account={account} />
      </>
    );
    return { title: account.name, body };
  },
};

function Moves({ call, account: { account_id, status } }: { call: PageCall; account: BuyerAccountInFullView }): Markup {
  if (MOVES[status]?.isFinal === true) return <p class="quiet">{`It is ${status}, which is for good.`}</p>;
  return (
    <>
      <RoleNote call={call} role={moveBuyerAccount.role} />
      <div class="forms">
        {Object.entries(MOVES).map(
          ([to, move]) =>
            move !== null &&
            to !== status && (
              <ActionForm
                call={call}
                operation={moveBuyerAccount}
                of={{ account_id }}
                label={move.label}
                isFinal={move.isFinal === true}
                phrase={move.isFinal === true ? account_id : undefined}
              >
                <p>{move.means}</p>
                <input type="hidden" name="status" value={to} />
                <WordsField name="reason" label="Reason" hint="For the record; the buyer is told the state." isNeeded />
              </ActionForm>
            ),
        )}
      </div>
    </>
  );
}
