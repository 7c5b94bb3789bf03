import { z } from 'zod';
import { AccountStatus } from '../../sales/account/account.ts';
import { inlineTask } from '../../runtime/task-definition.ts';
import type { TaskDefinition } from '../../runtime/task-definition.ts';
import { accountView, AccountView } from '../account-view.ts';
import type { TaskDependencies } from '../dependencies.ts';
import { readFields } from '../mutation-fields.ts';
import { pageEnd, pageFields, pageView } from '../paging.ts';

/** The request of `list_accounts` (rule D4.accounts). */
export const ListAccountsRequest = z.strictObject({
  status: AccountStatus.optional(),
  sandbox: z.boolean().optional(),
  ...pageFields,
  ...readFields,
});
export type ListAccountsRequest = z.infer<typeof ListAccountsRequest>;

/** The response of `list_accounts`: exactly the caller's own; `total`: on all pages. */
export const ListAccountsResponse = z.strictObject({ accounts: z.array(AccountView), total: z.int(), ...pageView });
export type ListAccountsResponse = z.infer<typeof ListAccountsResponse>;

/** Lists the accounts of the caller's organization, the newest first. */
export function listAccounts({ accounts }: TaskDependencies): TaskDefinition {
  return inlineTask<ListAccountsRequest>({
    name: 'list_accounts',
    title: 'List accounts',
    description:
      'Lists the accounts that your organization buys under, the newest first; filters by status and sandbox.',
    tags: ['accounts'],
    examples: [{ title: 'Those that can be booked under', input: { status: 'active' } }],
    scope: 'tasks:read',
    input: ListAccountsRequest,
    output: ListAccountsResponse,
    async answer({ status, sandbox, limit, cursor }, { caller: { organization_id } }) {
      const where = {
        organization_id,
        ...(sandbox !== undefined && { sandbox }),
        ...(status !== undefined && { status }),
      };
      const sort = { field: 'created_at', direction: 'desc' } as const;
      const page = await accounts.find({ where, sort, limit, ...(cursor !== undefined && { after: cursor }) });
      const total = await accounts.count(where);
      const result: ListAccountsResponse = { accounts: page.rows.map(accountView), total, ...pageEnd(page.cursor) };
      return { result, message: `${page.rows.length} of ${total} accounts` };
    },
  });
}
