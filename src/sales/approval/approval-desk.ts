import { toTimestamp } from '../../platform/clock.ts';
import { eachInTurn } from '../../platform/each-in-turn.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Collection, Page } from '../../platform/store/collection.ts';
import { AppError } from '../../platform/errors.ts';
import type { OrganizationId } from '../../platform/organization-id.ts';
import type { TaskId } from '../../platform/task-id.ts';
import type { MediaBuyId } from '../media-buy/media-buy-id.ts';
import { isOpen, successorOf } from './approval.ts';
import type { Approval, ApprovalStatus } from './approval.ts';
import type { ApprovalGrant } from './grant.ts';
import { onePersonIsEnough, personOf, standingYes, bothYeses } from './two-people.ts';
import type { TwoPeople } from './two-people.ts';

export interface ApprovalDeskDependencies {
  approvals: Collection<Approval>;
  clock: Clock;
  /**
   * Lets the task that waits go on; answers whether there was one to wake. May fail or be lost:
   * {@link ApprovalDesk.wakeDue} does it again.
   */
  wake: (task_id: TaskId) => Promise<boolean>;
  /** What an open approval would come to as things stand; undefined when it could not be done. */
  termsNow: (approval: Approval) => Promise<ApprovalGrant | undefined>;
  /** Default: one person is enough for everything. */
  twoPeople?: TwoPeople;
}

/** What a person decides, and who they are. */
interface Decision {
  by: string;
  /** Null or absent: their credential stands for no one person. */
  person_id?: string | null | undefined;
  /** Words to the buyer. */
  note?: string | undefined;
}

/** Which approvals to show; without any of these, all. */
export interface ApprovalFilter {
  status?: readonly ApprovalStatus[] | undefined;
  operation?: Approval['operation'] | undefined;
  organization_id?: OrganizationId | undefined;
  media_buy_id?: MediaBuyId | undefined;
}

/** What people at the seller do about the operations that wait for them. */
export interface ApprovalDesk {
  /** The longest waiting first; `limit` 1–100. */
  list(filter: ApprovalFilter, page: { limit: number; after?: string | undefined }): Promise<Page<Approval>>;
  /** @throws {AppError} `NOT_FOUND`. */
  show(approval_id: string): Promise<Approval>;
  /**
   * Grants the terms that were shown under `digest`, or without one those it was asked with (rule B15). The same decision
   * again changes nothing. Above the amount that takes two people the first yes is noted and the approval stays open; the
   * second, of another person to the same terms, grants them (rule B15.two).
   * @throws {AppError} `NOT_FOUND`; `INVALID_STATE` when it is decided otherwise, or superseded; `CONFLICT` when the terms
   * are not those of the digest any more, nor, where it takes two, those that were shown; `FORBIDDEN` where it takes two and
   * this credential stands for no one person.
   */
  approve(approval_id: string, decision: Decision & { digest?: string | undefined }): Promise<Approval>;
  /** `reason` is told to the buyer. @throws {AppError} as {@link ApprovalDesk.approve}. */
  reject(approval_id: string, decision: Decision & { reason: string }): Promise<Approval>;
  /** Puts a question to the buyer, whose answer brings the matter back. @throws {AppError} as {@link ApprovalDesk.approve}. */
  ask(approval_id: string, question: { by: string; question: string }): Promise<Approval>;
  /** Wakes again the tasks that have not acted on a decision for `overdueMs`. Answers how many. */
  wakeDue(overdueMs: number): Promise<number>;
  /** Whether an approval of this total takes two people, by the setting as it is. */
  takesTwo(total_minor: number, currency: string): boolean;
}

export function createApprovalDesk(deps: ApprovalDeskDependencies): ApprovalDesk {
  const { approvals, clock, wake, termsNow, twoPeople = onePersonIsEnough } = deps;

  async function show(approval_id: string): Promise<Approval> {
    const row = await approvals.get(approval_id);
    if (row === undefined) throw unknown();
    return row;
  }

  /** What an approval grants; undefined for one that is not open. */
  async function termsToGrant(row: Approval, digest: string | undefined): Promise<ApprovalGrant | undefined> {
    if (!isOpen(row)) return undefined;
    // Who says a plain yes after another's has been shown what that one approved.
    const shown = digest === undefined ? (row.first_yes?.grant ?? row.asked_terms) : undefined;
    if (shown !== undefined && !twoPeople.areNeeded(shown.total_minor, row.currency)) return shown;
    const now = await termsNow(row);
    const expected = digest ?? shown?.digest;
    if (now === undefined || (expected !== undefined && expected !== now.digest)) throw changed(now);
    // A row of 0.1.0 says what the total was to be, and no other term.
    const hasTerms = digest !== undefined || row.asked_terms !== undefined;
    return hasTerms ? now : { ...now, total_minor: row.total_budget_minor };
  }

  /** Who of those that have said yes may do so no more. */
  async function goneFrom({ first_yes }: Approval): Promise<string | undefined> {
    if (first_yes === undefined || (await twoPeople.mayApprove(first_yes.person_id))) return undefined;
    return first_yes.person_id;
  }

  async function change(approval_id: string, decide: (row: Approval, at: string) => Approval | undefined) {
    const outcome = await approvals.update(approval_id, (row) => decide(row, toTimestamp(clock.now())));
    if (outcome === undefined) throw unknown();
    // The decision stands once it is written; a wake-up that fails is made up for by wakeDue.
    if (outcome.row.wake_due_at !== null) await wake(outcome.row.task_id).catch(() => false);
    return outcome.row;
  }

  return {
    list({ status, operation, organization_id, media_buy_id }, { limit, after }) {
      return approvals.find({
        where: {
          ...(status !== undefined && { status: { in: status } }),
          ...(operation !== undefined && { operation }),
          ...(organization_id !== undefined && { organization_id }),
          ...(media_buy_id !== undefined && { media_buy_id }),
        },
        sort: { field: 'requested_at', direction: 'asc' },
        limit,
        ...(after !== undefined && { after }),
      });
    },
    show,
    async approve(approval_id, { by, person_id, note = '', digest }) {
      const seen = await show(approval_id);
      const grant = await termsToGrant(seen, digest);
      const gone = await goneFrom(seen);
      return change(approval_id, (row, at) => {
        if (row.status === 'approved' && (digest === undefined || digest === row.grant?.digest)) return undefined;
        assertOpen(row);
        if (grant === undefined) throw changed(undefined);
        if (!twoPeople.areNeeded(grant.total_minor, row.currency)) {
          return { ...row, ...decided(at, by, note), status: 'approved', grant };
        }
        const person = personOf({ person_id, by });
        const first = standingYes(row, grant, gone);
        if (first?.person_id === person) return undefined;
        if (first === undefined) {
          return { ...row, first_yes: { person_id: person, by, at, note: note === '' ? null : note, grant } };
        }
        const both = bothYeses(first, { by, note });
        return { ...row, ...decided(at, both.by, both.note), status: 'approved', grant };
      });
    },
    reject: (approval_id, { by, reason, note = '' }) =>
      change(approval_id, (row, at) => {
        if (row.status === 'rejected') return undefined;
        assertOpen(row);
        return { ...row, ...decided(at, by, note), status: 'rejected', reason };
      }),
    ask: (approval_id, { by, question }) =>
      change(approval_id, (row, at) => {
        if (row.status === 'asked' && row.questions.at(-1)?.question === question) return undefined;
        assertOpen(row);
        if (row.status === 'asked') {
          throw new AppError('INVALID_STATE', 'the buyer has a question to answer already', { field: 'approval_id' });
        }
        const asked = { question, asked_at: at, asked_by: by, messages_before: null, answered_at: null, answer: null };
        return { ...row, status: 'asked', questions: [...row.questions, asked], wake_due_at: at };
      }),
    async wakeDue(overdueMs) {
      const before = toTimestamp(clock.now() - overdueMs);
      const { rows } = await approvals.find({
        where: { wake_due_at: { lte: before, gt: '' } },
        sort: { field: 'wake_due_at', direction: 'asc' },
        limit: 200,
      });
      await eachInTurn(rows, async ({ approval_id, task_id }) => {
        const wake_due_at = (await wake(task_id)) ? toTimestamp(clock.now()) : null;
        await approvals.update(approval_id, (row) => (row.wake_due_at === null ? undefined : { ...row, wake_due_at }));
      });
      return rows.length;
    },
    takesTwo: (total_minor, currency) => twoPeople.areNeeded(total_minor, currency),
  };
}

function decided(at: string, by: string, note: string) {
  return { decided_at: at, decided_by: by, note: note === '' ? null : note, wake_due_at: at };
}

function assertOpen(row: Approval): void {
  if (isOpen(row)) return;
  const { status } = row;
  const superseded_by = successorOf(row);
  const message =
    superseded_by === undefined
      ? `the approval is ${status} already`
      : `what was approved has changed since, and was asked again; decide on ${superseded_by}`;
  const details = { status, ...(superseded_by !== undefined && { superseded_by }) };
  throw new AppError('INVALID_STATE', message, { field: 'approval_id', details });
}

function changed(now: ApprovalGrant | undefined): AppError {
  if (now === undefined) {
    const message =
      'what an approval would come to cannot be told as the media buy stands; look at it again, or reject it';
    return new AppError('CONFLICT', message, { field: 'approval_id' });
  }
  const message = 'the terms have changed since they were shown; look at them again';
  return new AppError('CONFLICT', message, { field: 'digest', details: { digest: now.digest } });
}

function unknown(): AppError {
  return new AppError('NOT_FOUND', 'no approval has this id', { field: 'approval_id' });
}
