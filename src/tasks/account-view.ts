import { z } from 'zod';
import { AccountKey, BuyerAccount } from '../sales/account/account.ts';
import { GovernanceAgents } from '../sales/account/governance.ts';
import { NotificationConfigView } from '../webhooks/subscription/notification-config.ts';
import { subscribersView } from '../webhooks/subscription/subscription.ts';

/** An account as its own buyer sees it. */
export const AccountView = AccountKey.extend(
  BuyerAccount.pick({ account_id: true, name: true, status: true, created_at: true }).shape,
).extend({
  governance_agents: GovernanceAgents.optional().describe('Whom you have named to judge what is bought under it.'),
  notification_configs: z
    .array(NotificationConfigView)
    .optional()
    .describe('Who hears of it and its creatives by webhook; absent where nobody was ever named.'),
});
export type AccountView = z.infer<typeof AccountView>;

/** Pure. */
export function accountView(account: BuyerAccount): AccountView {
  const { account_id, name, status, brand_domain, brand_id, operator, sandbox, created_at, governance_agents } =
    account;
  const notification_configs = subscribersView(account);
  return {
    ...{ account_id, name, status, brand_domain, brand_id, operator, sandbox, created_at },
    ...(governance_agents && { governance_agents }),
    ...(notification_configs && { notification_configs }),
  };
}
