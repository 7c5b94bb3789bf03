import { z } from 'zod';
import { AppError } from '../../platform/errors.ts';
import { inDialectOf } from '../../runtime/spoken.ts';
import { AccountStatus, knownAccount, openAccount } from '../../sales/account/account.ts';
import type { AccountKey, BuyerAccount } from '../../sales/account/account.ts';
import { NotificationConfigs } from '../../webhooks/subscription/notification-config.ts';
import type { AskedSubscriptions } from '../../webhooks/subscription/subscriptions.ts';
import { queuedTask } from '../../runtime/task-definition.ts';
import type { RunContext, TaskDefinition } from '../../runtime/task-definition.ts';
import { accountView, AccountView } from '../account-view.ts';
import type { TaskDependencies } from '../dependencies.ts';
import { mutationFields } from '../mutation-fields.ts';

/** At most this many accounts a call. */
const MAX_ACCOUNTS = 1000;

/** At most this many subscribers a call: the receiver of each may have to be asked. */
const MAX_SUBSCRIBERS_ASKED = 100;

const Domain = z
  .string()
  .max(253)
  .regex(/^(?=.*\.)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/, 'send a domain in lower case');

const AccountAsked = z.strictObject({
  brand_domain: Domain,
  brand_id: z.string().min(1).max(256).nullable().default(null),
  operator: Domain.optional().describe('The domain of who acts for the brand; the brand itself where it is left out.'),
  sandbox: z.boolean().default(false),
  notification_configs: NotificationConfigs.optional().describe(
    'All who are to hear of it and its creatives by webhook, in place of those before; left out: as it is.',
  ),
});
type AccountAsked = z.infer<typeof AccountAsked>;

/** The request of `sync_accounts` (rule D4.accounts). */
export const SyncAccountsRequest = z.strictObject({
  accounts: z
    .array(AccountAsked)
    .max(MAX_ACCOUNTS, `send at most ${MAX_ACCOUNTS} accounts`)
    .refine((accounts) => subscribersIn(accounts) <= MAX_SUBSCRIBERS_ASKED, {
      message: `send at most ${MAX_SUBSCRIBERS_ASKED} notification_configs in one call`,
    }),
  dry_run: z.boolean().default(false).describe('Answers what would become of each, and changes nothing.'),
  ...mutationFields,
});
export type SyncAccountsRequest = z.infer<typeof SyncAccountsRequest>;

/** What became of one account; one that a dry run would make has no id yet. */
const SyncedAccount = AccountView.extend({
  account_id: z.string().optional(),
  created_at: z.string().optional(),
  status: AccountStatus,
  action: z.enum(['created', 'updated', 'unchanged', 'failed']),
  /** Why it was left as it was; its fields are those of its row. */
  error: z
    .strictObject({
      ...{ code: z.string(), message: z.string(), recovery: z.string(), field: z.string().optional() },
      ...{ suggestion: z.string().optional(), retry_after: z.number().optional() },
    })
    .optional(),
});
export type SyncedAccount = z.infer<typeof SyncedAccount>;

/** The response of `sync_accounts`: the accounts sent, in their order. */
export const SyncAccountsResponse = z.strictObject({ dry_run: z.boolean(), accounts: z.array(SyncedAccount) });
export type SyncAccountsResponse = z.infer<typeof SyncAccountsResponse>;

function subscribersIn(accounts: readonly AccountAsked[]): number {
  return accounts.reduce((sum, { notification_configs = [] }) => sum + notification_configs.length, 0);
}

/**
 * Opens accounts of the caller's for brands and who acts for them, where there are none, and sets who hears of them by webhook. Nothing else
 * of one is ever changed by it.
 */
export function syncAccounts(deps: TaskDependencies): TaskDefinition {
  return queuedTask<SyncAccountsRequest>({
    name: 'sync_accounts',
    title: 'Sync accounts',
    description:
      'Opens an account for each brand and operator that has none, and sets which webhooks hear of an account and its creatives. In the public protocol, what is bought is kept apart by account.',
    tags: ['accounts'],
    examples: [
      {
        title: 'One brand, by its agency',
        input: { accounts: [{ brand_domain: 'acme.example', operator: 'agency.example' }] },
      },
    ],
    scope: 'tasks:write',
    mutates: true,
    makes: ({ accounts, dry_run }) => ({
      budget: 'buyer_accounts',
      amount: dry_run ? 0 : accounts.length + subscribersIn(accounts),
    }),
    input: SyncAccountsRequest,
    output: SyncAccountsResponse,
    protect: (request) => ({
      ...request,
      accounts: request.accounts.map(({ notification_configs: configs, ...account }, i) => ({
        ...account,
        ...(configs && {
          notification_configs: configs.map((config, j) =>
            deps.accountWebhooks.seal(config, `accounts[${i}].notification_configs[${j}]`),
          ),
        }),
      })),
    }),
    async check() {
      // The schema says all that can be wrong.
    },
    async run({ accounts, dry_run }, context) {
      const all: SyncedAccount[] = [];
      for (const [i, asked] of accounts.entries()) {
        await (dry_run ? context.checkpoint() : context.commit());
        all.push(await (dry_run ? wouldBe : opened)(deps, asked, i, context));
      }
      const count = all.filter(({ action }) => action === 'created').length;
      const response: SyncAccountsResponse = { dry_run, accounts: all };
      return { done: response, message: `${dry_run ? 'dry run: ' : ''}${count} of ${all.length} accounts created` };
    },
  });
}

/** What this task has made, it has made, however often it is run. */
async function opened(
  deps: TaskDependencies,
  asked: AccountAsked,
  i: number,
  context: RunContext,
): Promise<SyncedAccount> {
  const { organization_id, task_id } = context.run;
  const subscriptions = subscriptionsAsked(asked, i, context);
  if (subscriptions === undefined)
    return synced(await openAccount(deps, organization_id, keyOf(asked), task_id), context);
  const known = await knownAccount(deps, organization_id, keyOf(asked), task_id);
  try {
    const { account, action } = await deps.accountWebhooks.set(known, subscriptions);
    return synced(account, context, action);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { issues: _issues, details: _details, ...told } = error.toBody();
    return { ...(await untouched(deps, known)), action: 'failed', error: told };
  }
}

async function wouldBe(
  deps: TaskDependencies,
  asked: AccountAsked,
  i: number,
  context: RunContext,
): Promise<SyncedAccount> {
  const { organization_id, task_id } = context.run;
  const known = await knownAccount(deps, organization_id, keyOf(asked), task_id);
  const subscriptions = subscriptionsAsked(asked, i, context);
  const { account, action } =
    subscriptions === undefined
      ? ({ account: known, action: 'unchanged' } as const)
      : deps.accountWebhooks.wouldBe(known, subscriptions);
  const told = synced(account, context, action);
  return told.action === 'created' ? { ...unborn(told), action: 'created' } : told;
}

/** As an account is told that stands as it did; one that was to be made is not there. */
async function untouched(
  { accounts }: TaskDependencies,
  account: BuyerAccount,
): Promise<Omit<SyncedAccount, 'action'>> {
  const view = accountView(account);
  return (await accounts.get(account.account_id)) === undefined ? unborn(view) : view;
}

function unborn<V extends { account_id?: unknown; created_at?: unknown }>({
  account_id: _id,
  created_at: _at,
  ...told
}: V) {
  return told;
}

function synced(
  account: BuyerAccount,
  { run: { task_id } }: RunContext,
  action: 'updated' | 'unchanged' = 'unchanged',
): SyncedAccount {
  return { ...accountView(account), action: account.made_by === task_id ? 'created' : action };
}

function subscriptionsAsked(
  { notification_configs: configs }: AccountAsked,
  i: number,
  { run: { created_at, task_id, spoken } }: RunContext,
): AskedSubscriptions | undefined {
  if (configs === undefined) return undefined;
  return { configs, set_by: `${created_at} ${task_id} ${String(i).padStart(4, '0')}`, ...inDialectOf(spoken) };
}

function keyOf({ brand_domain, brand_id, operator = brand_domain, sandbox }: AccountAsked): AccountKey {
  return { brand_domain, brand_id, operator, sandbox };
}
