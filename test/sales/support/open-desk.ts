import type { TaskId } from '../../../src/platform/task-id.ts';
import { createApprovalDesk } from '../../../src/sales/approval/approval-desk.ts';
import type { ApprovalDesk, ApprovalDeskDependencies } from '../../../src/sales/approval/approval-desk.ts';
import { Approvals } from '../../../src/sales/approval/approval.ts';
import type { Approval } from '../../../src/sales/approval/approval.ts';
import type { ApprovalGrant } from '../../../src/sales/approval/grant.ts';
import { installation } from '../../directory/support/installation.ts';
import type { Installation } from '../../directory/support/installation.ts';
import { taskId } from '../../support/ids.ts';
import type { StoreKind } from '../../support/stores.ts';
import { sampleApproval, TERMS } from './sample-approval.ts';

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
      const row = sampleApproval(at.clock.now(), { task_id: taskId(at.ids.newId()), ...changes });
      await approvals.insert(row);
      return row;
    },
    read: (approval_id) => approvals.get(approval_id),
  };
}
