import { z } from 'zod';
import { AccountStatus, knownAccount, openAccount } from '../../sales/account/account.ts';
import type { AccountKey } from '../../sales/account/account.ts';
import { queuedTask } from '../../runtime/task-definition.ts';
import type { RunContext, TaskDefinition } from '../../runtime/task-definition.ts';
import { accountView, AccountView } from '../account-view.ts';
import type { TaskDependencies } from '../dependencies.ts';
import { mutationFields } from '../mutation-fields.ts';

/** At most this many accounts a call. */
const MAX_ACCOUNTS = 1000;

const Domain = z
  .string()
  .max(253)
  .regex(/^(?=.*\.)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/, 'send a domain in lower case');

const AccountAsked = z.strictObject({
  brand_domain: Domain,
  brand_id: z.string().min(1).max(256).nullable().default(null),
  operator: Domain.optional().describe('The domain of who acts for the brand; the brand itself where it is left out.'),
  sandbox: z.boolean().default(false),
});
type AccountAsked = z.infer<typeof AccountAsked>;

/** The request of `sync_accounts` (rule D4.accounts). */
export const SyncAccountsRequest = z.strictObject({
  accounts: z.array(AccountAsked).max(MAX_ACCOUNTS, `send at most ${MAX_ACCOUNTS} accounts`),
  dry_run: z.boolean().default(false).describe('Answers what would become of each, and changes nothing.'),
  ...mutationFields,
});
export type SyncAccountsRequest = z.infer<typeof SyncAccountsRequest>;

/** What became of one account; one that a dry run would make has no id yet. */
const SyncedAccount = AccountView.extend({
  account_id: z.string().optional(),
  created_at: z.string().optional(),
  status: AccountStatus,
  action: z.enum(['created', 'unchanged']),
});
export type SyncedAccount = z.infer<typeof SyncedAccount>;

/** The response of `sync_accounts`: the accounts sent, in their order. */
export const SyncAccountsResponse = z.strictObject({ dry_run: z.boolean(), accounts: z.array(SyncedAccount) });
export type SyncAccountsResponse = z.infer<typeof SyncAccountsResponse>;

/** Opens accounts of the caller's for brands and who acts for them, where there are none. Nothing of one is ever changed by it. */
export function syncAccounts(deps: TaskDependencies): TaskDefinition {
  return queuedTask<SyncAccountsRequest>({
    name: 'sync_accounts',
    title: 'Sync accounts',
    description:
      'Opens an account for each brand and operator that has none. In the public protocol, what is bought is kept apart by account.',
    tags: ['accounts'],
    examples: [
      {
        title: 'One brand, by its agency',
        input: { accounts: [{ brand_domain: 'acme.example', operator: 'agency.example' }] },
      },
    ],
    scope: 'tasks:write',
    mutates: true,
    makes: ({ accounts, dry_run }) => ({ budget: 'buyer_accounts', amount: dry_run ? 0 : accounts.length }),
    input: SyncAccountsRequest,
    output: SyncAccountsResponse,
    async check() {
      // The schema says all that can be wrong.
    },
    async run({ accounts, dry_run }, context) {
      const synced: SyncedAccount[] = [];
      for (const asked of accounts) {
        await (dry_run ? context.checkpoint() : context.commit());
        synced.push(await (dry_run ? wouldBe(deps, asked, context) : opened(deps, asked, context)));
      }
      const count = synced.filter(({ action }) => action === 'created').length;
      const response: SyncAccountsResponse = { dry_run, accounts: synced };
      return { done: response, message: `${dry_run ? 'dry run: ' : ''}${count} of ${synced.length} accounts created` };
    },
  });
}

/** What this task has made, it has made, however often it is run. */
async function opened(deps: TaskDependencies, asked: AccountAsked, { run }: RunContext): Promise<SyncedAccount> {
  const account = await openAccount(deps, run.organization_id, keyOf(asked), run.task_id);
  return { ...accountView(account), action: account.made_by === run.task_id ? 'created' : 'unchanged' };
}

async function wouldBe(deps: TaskDependencies, asked: AccountAsked, { run }: RunContext): Promise<SyncedAccount> {
  const account = await knownAccount(deps, run.organization_id, keyOf(asked), run.task_id);
  if (account.made_by !== run.task_id) return { ...accountView(account), action: 'unchanged' };
  const { account_id: _id, created_at: _at, ...told } = accountView(account);
  return { ...told, action: 'created' };
}

function keyOf({ brand_domain, brand_id, operator = brand_domain, sandbox }: AccountAsked): AccountKey {
  return { brand_domain, brand_id, operator, sandbox };
}
