import { z } from 'zod';
import { toTimestamp } from '../../platform/clock.ts';
import { queuedTask } from '../../runtime/task-definition.ts';
import type { RunContext, TaskDefinition } from '../../runtime/task-definition.ts';
import type { BuyerAccount } from '../../sales/account/account.ts';
import { GovernanceAgents } from '../../sales/account/governance.ts';
import type { TaskDependencies } from '../dependencies.ts';
import { mutationFields } from '../mutation-fields.ts';

/** At most this many accounts a call. */
const MAX_ACCOUNTS = 100;

const GovernedAccount = z.strictObject({ account_id: z.string().min(1).max(256), governance_agents: GovernanceAgents });
type GovernedAccount = z.infer<typeof GovernedAccount>;

/** The request of `sync_governance` (rule D4.governance). */
export const SyncGovernanceRequest = z.strictObject({
  accounts: z
    .array(GovernedAccount)
    .max(MAX_ACCOUNTS, `send at most ${MAX_ACCOUNTS} accounts`)
    .describe('Of each, all who are to judge what is bought under it, in place of those named before.'),
  ...mutationFields,
});
export type SyncGovernanceRequest = z.infer<typeof SyncGovernanceRequest>;

/** The response of `sync_governance`: the accounts sent, in their order; `not_found`: none of the caller's has the id. */
export const SyncGovernanceResponse = z.strictObject({
  accounts: z.array(
    z.strictObject({
      account_id: z.string(),
      status: z.enum(['synced', 'not_found']),
      governance_agents: GovernanceAgents.optional(),
    }),
  ),
});
export type SyncGovernanceResponse = z.infer<typeof SyncGovernanceResponse>;

/** Keeps who judges, on the buyer's side, what is bought under an account. Nobody is asked by it. */
export function syncGovernance(deps: TaskDependencies): TaskDefinition {
  return queuedTask<SyncGovernanceRequest>({
    name: 'sync_governance',
    title: 'Sync governance',
    description:
      'Keeps which agents of yours judge what is bought under an account, for list_accounts and the seller to show. None of them is asked before anything is booked.',
    tags: ['accounts'],
    examples: [
      {
        title: 'One agent for an account',
        input: {
          accounts: [
            {
              account_id: 'acc_0123456789abcdef0123456789abcdef',
              governance_agents: [{ url: 'https://governance.acme.example' }],
            },
          ],
        },
      },
    ],
    scope: 'tasks:write',
    mutates: true,
    makes: ({ accounts }) => ({ budget: 'buyer_accounts', amount: accounts.length }),
    input: SyncGovernanceRequest,
    output: SyncGovernanceResponse,
    async check() {
      // What is no account of the caller's is told of that account alone.
    },
    async run({ accounts }, context) {
      const synced: SyncGovernanceResponse['accounts'] = [];
      for (const asked of accounts) synced.push(await kept(deps, asked, context));
      const count = synced.filter(({ status }) => status === 'synced').length;
      const response: SyncGovernanceResponse = { accounts: synced };
      return {
        done: response,
        message: `governance agents of ${count} of ${synced.length} accounts kept; none is asked before anything is booked`,
      };
    },
  });
}

async function kept(
  { accounts }: TaskDependencies,
  { account_id, governance_agents }: GovernedAccount,
  context: RunContext,
): Promise<SyncGovernanceResponse['accounts'][number]> {
  const { run } = context;
  await context.commit();
  const at = toTimestamp(context.now());
  const outcome = await accounts.update(account_id, (row) => {
    const isSame = row.organization_id !== run.organization_id || isAlike(row.governance_agents, governance_agents);
    return isSame ? undefined : { ...row, governance_agents, updated_at: at };
  });
  if (outcome?.row.organization_id !== run.organization_id) return { account_id, status: 'not_found' };
  return { account_id, status: 'synced', governance_agents };
}

function isAlike(one: BuyerAccount['governance_agents'], other: GovernedAccount['governance_agents']): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
