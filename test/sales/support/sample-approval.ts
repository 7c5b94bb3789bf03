import { toTimestamp } from '../../../src/platform/clock.ts';
import { approvalIdOf } from '../../../src/sales/approval/approval.ts';
import type { Approval } from '../../../src/sales/approval/approval.ts';
import type { ApprovalGrant } from '../../../src/sales/approval/grant.ts';
import { mediaBuyId, organizationId, taskId } from '../../support/ids.ts';

/** What the approvals of a room are asked with. */
export const TERMS = termsOf(7_500_000);

export function termsOf(total_minor: number): ApprovalGrant {
  const digest = String(total_minor).padStart(64, '0');
  const packages = [{ package_id: 'p1', budget_minor: total_minor, digest: 'd' }];
  const [start_time, end_time] = ['2027-01-01T00:00:00.000Z', '2027-02-01T00:00:00.000Z'];
  return { base_revision: 1, base_total_minor: 0, total_minor, start_time, end_time, packages, digest };
}

/** An approval that a task has just asked for, nobody having decided it. */
export function sampleApproval(nowMs: number, changes: Partial<Approval> = {}): Approval {
  const { task_id = taskId('task_1') } = changes;
  return {
    approval_id: approvalIdOf(task_id),
    task_id,
    round: 1,
    organization_id: organizationId('org_a'),
    media_buy_id: mediaBuyId(`mb_${task_id}`),
    buyer_ref: 'spring',
    operation: 'create_media_buy',
    currency: 'USD',
    total_budget_minor: 7_500_000,
    previous_budget_minor: null,
    asked_terms: TERMS,
    why: 'it is large',
    request: {},
    requested_at: toTimestamp(nowMs),
    status: 'pending',
    ...{ decided_at: null, decided_by: null, reason: null, note: null, questions: [], wake_due_at: null },
    revision: 1,
    ...changes,
  };
}
