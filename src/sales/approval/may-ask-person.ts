import type { LimitsOf } from '../credit/credit.ts';
import type { OrganizationId } from '../../platform/organization-id.ts';
import type { ApprovalThresholds } from './approval-policy.ts';

/** Whether there are totals of a buyer's above which a person at the seller is asked. */
export type MayAskPerson = (organization_id: OrganizationId) => Promise<boolean>;

/** By the seller's amounts for all, or those set for this buyer (rules B3.thresholds, B3.buyers), which are read where the first say nothing. */
export function mayAskPerson(thresholds: ApprovalThresholds, limitsOf: LimitsOf): MayAskPerson {
  return async (organization_id) => thresholds.size > 0 || (await limitsOf(organization_id)).approvalOver.size > 0;
}
