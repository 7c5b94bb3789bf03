import { listActions } from './actions/operations.ts';
import { approve, ask, listApprovals, reject, showApproval } from './approvals/operations.ts';
import type { Operation } from './operation.ts';

/** Everything an operator can see and do; routing follows from this list. */
export const operations: readonly Operation[] = [listApprovals, showApproval, approve, reject, ask, listActions];
