import { z } from 'zod';
import { AccountKey, BuyerAccount } from '../sales/account/account.ts';
import { GovernanceAgents } from '../sales/account/governance.ts';

/** An account as its own buyer sees it. */
export const AccountView = AccountKey.extend(
  BuyerAccount.pick({ account_id: true, name: true, status: true, created_at: true }).shape,
).extend({
  governance_agents: GovernanceAgents.optional().describe('Whom you have named to judge what is bought under it.'),
});
export type AccountView = z.infer<typeof AccountView>;

/** Pure. */
export function accountView(account: BuyerAccount): AccountView {
  const { account_id, name, status, brand_domain, brand_id, operator, sandbox, created_at, governance_agents } =
    account;
  return {
    ...{ account_id, name, status, brand_domain, brand_id, operator, sandbox, created_at },
    ...(governance_agents && { governance_agents }),
  };
}
