import { z } from 'zod';
import { formatMoney } from '../../../platform/money.ts';
import { ApprovalGrant } from '../../../sales/approval/grant.ts';

/** Terms as an operator sees them (rule B15). Amounts are decimals of `currency`. */
export const GrantView = ApprovalGrant.pick({
  base_revision: true,
  start_time: true,
  end_time: true,
  digest: true,
}).extend({
  currency: z.string(),
  base_total: z.number(),
  total: z.number(),
  packages: z.array(z.object({ package_id: z.string(), budget: z.number() })),
});
export type GrantView = z.infer<typeof GrantView>;

/** Pure. */
export function toGrantView(grant: ApprovalGrant, currency: string): GrantView {
  const { base_revision, start_time, end_time, digest } = grant;
  return {
    ...{ base_revision, start_time, end_time, digest, currency },
    base_total: formatMoney(grant.base_total_minor, currency),
    total: formatMoney(grant.total_minor, currency),
    packages: grant.packages.map(({ package_id, budget_minor }) => ({
      package_id,
      budget: formatMoney(budget_minor, currency),
    })),
  };
}
