import { toTimestamp } from '../../../src/platform/clock.ts';
import type { TaskId } from '../../../src/platform/task-id.ts';
import { createApprovalDesk } from '../../../src/sales/approval/approval-desk.ts';
import type { ApprovalDesk, ApprovalDeskDependencies } from '../../../src/sales/approval/approval-desk.ts';
import { Approvals, approvalIdOf } from '../../../src/sales/approval/approval.ts';
import type { Approval } from '../../../src/sales/approval/approval.ts';
import type { ApprovalGrant } from '../../../src/sales/approval/grant.ts';
import { installation } from '../../directory/support/installation.ts';
import type { Installation } from '../../directory/support/installation.ts';
import { mediaBuyId, organizationId, taskId } from '../../support/ids.ts';
import type { StoreKind } from '../../support/stores.ts';

/** What the approvals of a room are asked with. */
export const TERMS = termsOf(7_500_000);

export function termsOf(total_minor: number): ApprovalGrant {
  const digest = String(total_minor).padStart(64, '0');
  const packages = [{ package_id: 'p1', budget_minor: total_minor, digest: 'd' }];
  const [start_time, end_time] = ['2027-01-01T00:00:00.000Z', '2027-02-01T00:00:00.000Z'];
  return { base_revision: 1, base_total_minor: 0, total_minor, start_time, end_time, packages, digest };
}

/** An approval desk on a store of its own. */
export interface Room extends Installation {
  desk: ApprovalDesk;
  /** The tasks that were woken, in order. */
  woken: string[];
  ask: (changes?: Partial<Approval>) => Promise<Approval>;
  read: (approval_id: string) => Promise<Approval | undefined>;
}

export interface RoomOptions extends Pick<ApprovalDeskDependencies, 'twoPeople'> {
  wakes?: () => Promise<boolean>;
  termsNow?: () => Promise<ApprovalGrant | undefined>;
}

export async function openDesk(
  kind: StoreKind,
  cleanUp: (() => Promise<void>)[],
  { wakes = () => Promise.resolve(true), termsNow = () => Promise.resolve(TERMS), ...rules }: RoomOptions = {},
): Promise<Room> {
  const at = await installation([Approvals], kind);
  cleanUp.push(() => at.close());
  const approvals = at.store.collection(Approvals);
  const woken: string[] = [];
  const wake = (task_id: TaskId) => {
    woken.push(task_id);
    return wakes();
  };
  return {
    ...at,
    woken,
    desk: createApprovalDesk({ approvals, clock: at.clock, wake, termsNow, ...rules }),
    async ask(changes = {}) {
      const task_id = taskId(at.ids.newId());
      const row: Approval = {
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
        requested_at: toTimestamp(at.clock.now()),
        status: 'pending',
        ...{ decided_at: null, decided_by: null, reason: null, note: null, questions: [], wake_due_at: null },
        revision: 1,
        ...changes,
      };
      await approvals.insert(row);
      return row;
    },
    read: (approval_id) => approvals.get(approval_id),
  };
}
