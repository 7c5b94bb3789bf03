import { z } from 'zod';
import { organizations } from '../../../directory/organization/organization.ts';
import { ApprovalStatus, OPEN_APPROVALS } from '../../../sales/approval/approval.ts';
import type { Approval } from '../../../sales/approval/approval.ts';
import { recordRefusal } from '../../../platform/security/record-refusal.ts';
import { pageEnd, pageView } from '../../../tasks/paging.ts';
import { operation } from '../operation.ts';
import type { OperatorDeps } from '../operation.ts';
import { BuyerAsked, Id, IdOfMediaBuy, pageQuery, Words } from '../fields.ts';
import { ApprovalView, DecisionView, toApprovalView, toDecisionView } from './approval-view.ts';

const ApprovalPath = z.strictObject({ approval_id: Id });

const STATUSES = {
  open: OPEN_APPROVALS,
  all: ApprovalStatus.options,
} as const satisfies Record<string, readonly ApprovalStatus[]>;

/** What waits for a person, the longest first; `status` shows others too. */
export const listApprovals = operation({
  method: 'get',
  path: '/approvals',
  summary: 'Show the approvals that wait, the longest first.',
  role: 'viewer',
  query: z.strictObject({
    /** `open`: a person or the buyer has yet to act. */
    status: z.enum(['open', ...ApprovalStatus.options, 'all']).default('open'),
    operation: z.enum(['create_media_buy', 'update_media_buy']).optional(),
    organization_id: BuyerAsked.optional(),
    media_buy_id: IdOfMediaBuy.optional(),
    ...pageQuery,
  }),
  answer: z.object({ approvals: z.array(ApprovalView), ...pageView }),
  async handle({ query: { status, limit, cursor, ...filter } }, deps) {
    const statuses = status === 'open' || status === 'all' ? STATUSES[status] : [status];
    const page = await deps.desk.list({ ...filter, status: statuses }, { limit, after: cursor });
    return { approvals: page.rows.map(await withFacts(deps, page.rows)), ...pageEnd(page.cursor) };
  },
});

export const showApproval = operation({
  method: 'get',
  path: '/approvals/:approval_id',
  summary: 'Show an approval, with all that is needed to decide.',
  role: 'viewer',
  params: ApprovalPath,
  answer: ApprovalView,
  async handle({ params }, deps) {
    const approval = await deps.desk.show(params.approval_id);
    return (await withFacts(deps, [approval]))(approval);
  },
});

/**
 * Lets the operation go on, on the terms that were shown under `digest`, or else on those it was asked with. Where it takes two
 * people, the first yes leaves it open, for a second of somebody else to the same terms.
 */
export const approve = operation({
  method: 'post',
  path: '/approvals/:approval_id/approve',
  summary: 'Let an operation go on that waits for approval.',
  role: 'operator',
  action: 'approvals.approve',
  done: ({ status }) =>
    status === 'approved' ? 'Approved.' : 'Your approval is on record; a second person has to approve, too.',
  params: ApprovalPath,
  body: z.strictObject({
    note: Words.optional(),
    /** Of `terms_now`; refused with `CONFLICT` when they have changed since. */
    digest: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'must be the digest of terms_now: 64 hexadecimal digits')
      .optional(),
  }),
  answer: DecisionView,
  async handle({ params, body }, { desk, by, operator, security }) {
    const { person_id } = operator;
    try {
      return toDecisionView(await desk.approve(params.approval_id, { by, person_id, ...body }));
    } catch (error) {
      recordRefusal(security, error, { subject: by, target: params.approval_id });
      throw error;
    }
  },
});

/** Ends the operation; the buyer is told the reason. */
export const reject = operation({
  method: 'post',
  path: '/approvals/:approval_id/reject',
  summary: 'End an operation that waits for approval.',
  role: 'operator',
  action: 'approvals.reject',
  done: () => 'Rejected; the buyer is told why.',
  params: ApprovalPath,
  body: z.strictObject({ reason: Words, note: Words.optional() }),
  answer: DecisionView,
  async handle({ params, body }, { desk, by }) {
    return toDecisionView(await desk.reject(params.approval_id, { by, ...body }));
  },
});

/** Puts a question to the buyer, whose next message brings the matter back. */
export const ask = operation({
  method: 'post',
  path: '/approvals/:approval_id/ask',
  summary: 'Ask the buyer about an approval; their answer brings it back.',
  role: 'operator',
  action: 'approvals.ask',
  done: () => 'The buyer is asked; their answer brings it back.',
  params: ApprovalPath,
  body: z.strictObject({ question: Words }),
  answer: DecisionView,
  async handle({ params, body }, { desk, by }) {
    return toDecisionView(await desk.ask(params.approval_id, { by, ...body }));
  },
});

/** Reads at once what the views of these approvals need besides themselves. */
async function withFacts(
  { store, sales, clock, desk }: OperatorDeps,
  approvals: readonly Approval[],
): Promise<(approval: Approval) => ApprovalView> {
  const distinct = (ids: string[]) => [...new Set(ids)];
  const [buys, buyers] = await Promise.all([
    sales.mediaBuys.getMany(distinct(approvals.map(({ media_buy_id }) => media_buy_id)), { skipUnreadable: true }),
    store
      .collection(organizations)
      .getMany(distinct(approvals.map(({ organization_id }) => organization_id)), { skipUnreadable: true }),
  ]);
  const nowMs = clock.now();
  return (approval) => {
    const buy = buys.find(({ media_buy_id }) => media_buy_id === approval.media_buy_id);
    const buyer = buyers.find(({ organization_id }) => organization_id === approval.organization_id);
    return toApprovalView(approval, { buy, buyer, nowMs, takesTwo: (...of) => desk.takesTwo(...of) });
  };
}
