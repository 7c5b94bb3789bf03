import { Command, Option } from 'commander';
import {
  listBuyerAccounts,
  moveBuyerAccount,
  showBuyerAccount,
} from '../../admin/operator/buyer-accounts/operations.ts';
import type { BuyerAccountInFullView, BuyerAccountView } from '../../admin/operator/buyer-accounts/account-in-full.ts';
import { AccountStatus } from '../../sales/account/account.ts';
import { shownAmount } from '../../platform/money.ts';
import { BUYER_ASKED, more, paged } from './paging.ts';
import type { PagingOptions } from './paging.ts';
import type { Run } from './session.ts';
import { facts, table } from './table.ts';

interface Filters extends PagingOptions {
  buyer?: string;
  status?: AccountStatus;
}

/** `buyer-accounts …`: what buyers buy under. */
export function buyerAccountCommands(run: Run): Command {
  const status = new Option('--status <status>', 'default: all').choices(AccountStatus.options);
  return new Command('buyer-accounts')
    .description('The accounts that buyers buy under, in the public protocol.')
    .addCommand(
      run(
        paged(
          new Command('list')
            .description(listBuyerAccounts.summary)
            .option('--buyer <buyer>', BUYER_ASKED)
            .addOption(status),
        ),
        {
          ask: (client, _args, { buyer, status: asked, limit, cursor }: Filters) =>
            client.call(listBuyerAccounts, { query: { organization_id: buyer, status: asked, limit, cursor } }),
          rows: (answer) => answer.accounts,
          show: (answer) => listed(answer.accounts) + more(answer),
        },
      ),
    )
    .addCommand(
      run(new Command('show').description(showBuyerAccount.summary).argument('<account_id>'), {
        ask: (client, [account_id]: [string]) => client.call(showBuyerAccount, { params: { account_id } }),
        show: (account) => shown(account) + bought(account),
      }),
    )
    .addCommand(
      run(
        new Command('move')
          .description(moveBuyerAccount.summary)
          .argument('<account_id>')
          .argument('<status>', AccountStatus.options.join(', '))
          .requiredOption('--reason <words>', 'why, for the record; the buyer is told the state alone'),
        {
          ask: (client, [account_id, to]: [string, AccountStatus], { reason }: { reason: string }) =>
            client.call(moveBuyerAccount, { params: { account_id }, body: { status: to, reason } }),
          show: shown,
        },
      ),
    );
}

function listed(accounts: readonly BuyerAccountView[]): string {
  return table(
    ['ACCOUNT', 'STATUS', 'ORGANIZATION', 'NAME'],
    accounts.map(({ account_id, status, organization_id, name }) => [account_id, status, organization_id, name]),
  );
}

function shown({
  account_id,
  name,
  status,
  organization_id,
  brand_domain,
  brand_id,
  operator,
  sandbox,
}: BuyerAccountView) {
  return facts([
    ...([
      ['account', account_id],
      ['name', name],
      ['status', status],
      ['organization', organization_id],
    ] as const),
    ...([
      ['brand', brand_domain],
      ['brand id', brand_id ?? ''],
      ['operator', operator],
    ] as const),
    ['sandbox', sandbox ? 'yes' : ''],
  ]);
}

function bought({ money, media_buys, has_more_buys, notification_configs }: BuyerAccountInFullView): string {
  return facts([
    ...money.map(
      (sum) =>
        [
          'booked',
          `${shownAmount(sum.booked, sum.currency)}, spent ${shownAmount(sum.spent, sum.currency)}, by ${sum.media_buys} media buys`,
        ] as const,
    ),
    [
      'newest buys',
      media_buys.map(({ media_buy_id }) => media_buy_id).join(', ') + (has_more_buys ? ', and more' : ''),
    ],
    ...notification_configs.map(
      (one) => ['told', `${one.url} of ${one.event_types.join(', ')}${one.active ? '' : ' (not active)'}`] as const,
    ),
  ]);
}
