import { z } from 'zod';
import { AccountStatus } from '../../../sales/account/account.ts';
import type { ListAccountsResponse } from '../../../tasks/list-accounts/task.ts';
import { publicAccount } from '../accounts.ts';
import { publicGovernance } from '../governance.ts';
import { EnvelopeFields } from '../envelope.ts';
import { pageAsked, Pagination, pagination } from '../pagination.ts';
import { publicSubscribers } from '../sync-accounts/subscribers.ts';
import { translator } from '../translator.ts';
import type { Translator } from '../translator.ts';

const AdcpListAccountsRequest = z.looseObject({
  ...EnvelopeFields.shape,
  status: AccountStatus.optional(),
  sandbox: z.boolean().optional(),
  pagination: Pagination.optional(),
});
type AdcpListAccountsRequest = z.infer<typeof AdcpListAccountsRequest>;

/** Lists the accounts that the caller buys under. */
export function adcpListAccounts(): Translator {
  return translator<AdcpListAccountsRequest>({
    skill: 'list_accounts',
    task: 'list_accounts',
    title: 'List accounts',
    description: 'Lists the accounts that you buy under, with their states.',
    tags: ['accounts'],
    mutates: false,
    examples: [{ adcp_version: '3.1', status: 'active' }],
    input: AdcpListAccountsRequest,
    in: ({ status, sandbox, pagination: page }) => ({
      input: {
        ...(status !== undefined && { status }),
        ...(sandbox !== undefined && { sandbox }),
        ...pageAsked(page),
      },
    }),
    out(result, { release }) {
      const { accounts, total } = result as unknown as ListAccountsResponse;
      return {
        accounts: accounts.map((account) => ({
          ...publicAccount(account),
          ...publicSubscribers(account.notification_configs, release),
          ...publicGovernance(account.governance_agents, release),
        })),
        pagination: pagination(result, total),
      };
    },
  });
}
