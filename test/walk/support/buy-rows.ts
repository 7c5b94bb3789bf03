import { isDeepStrictEqual } from 'node:util';
import type { Approval } from '../../../src/sales/approval/approval.ts';
import { toHistoryView, toMediaBuyView } from '../../../src/sales/media-buy/media-buy-view.ts';
import type { MediaBuy, MediaBuyStatus } from '../../../src/sales/media-buy/media-buy.ts';
import { mustHold } from './must-hold.ts';

/** The moves that a buy may make, by themselves and not from the product's own table (rule B2). */
const MOVES: Record<MediaBuyStatus, readonly MediaBuyStatus[]> = {
  pending: ['active', 'paused', 'rejected', 'canceled'],
  active: ['paused', 'completed', 'canceled'],
  paused: ['active', 'completed', 'canceled'],
  ...{ completed: [], canceled: [], rejected: [] },
};

/** A version that was given out for a buy: for whose change, and as which order. */
interface GivenOut {
  digest: string;
  tasks: Set<string>;
}

/** What is known of every buy from all rows of it that were ever stored, one after the other. */
export interface BuyRows {
  /** Takes the row as it is after a write. @throws {InvariantBroken}. */
  seen(buy: MediaBuy): void;
  approval(row: Approval): void;
  last(media_buy_id: string): MediaBuy | undefined;
  /** The versions that were given out for a task's change of a buy. */
  versionsOf(media_buy_id: string, task_id: string): number[];
}

/** @param thresholdMinor the total above which a person must approve. */
export function watchBuyRows(thresholdMinor: number): BuyRows {
  const rows = new Map<string, MediaBuy>();
  const versions = new Map<string, Map<number, GivenOut>>();
  const approvals = new Map<string, Approval>();

  function giveOut(before: MediaBuy | undefined, buy: MediaBuy): void {
    const given = versions.get(buy.media_buy_id) ?? new Map<number, GivenOut>();
    versions.set(buy.media_buy_id, given);
    const known = before?.ad_version ?? 0;
    mustHold((buy.ad_version ?? 0) >= known, 'I5', () => `ad_version of ${buy.media_buy_id} goes back from ${known}`);
    for (const { order, tasks } of openOrders(buy)) {
      const { version, digest } = order;
      mustHold(version <= (buy.ad_version ?? 0), 'I5', () => `version ${version} is not given out yet`);
      const earlier = given.get(version);
      if (earlier === undefined) given.set(version, { digest, tasks: new Set(tasks) });
      else {
        mustHold(earlier.digest === digest, 'I5', () => `version ${version} of ${buy.media_buy_id} is given twice`);
        for (const task of tasks) earlier.tasks.add(task);
      }
    }
  }

  /** More money than passes by itself is there by the leave of a person, for so much at the least. */
  function checkGrant(before: MediaBuy | undefined, buy: MediaBuy): void {
    const { total_budget_minor: total, media_buy_id } = buy;
    if (total <= thresholdMinor) return;
    const granted = (task_id?: string) =>
      [...approvals.values()].some(
        (row) =>
          row.media_buy_id === media_buy_id &&
          row.status === 'approved' &&
          (task_id === undefined || row.task_id === task_id) &&
          (row.grant?.total_minor ?? 0) >= total,
      );
    const how = () => `${media_buy_id} stands at ${total} without a grant of so much`;
    if (before !== undefined && before.total_budget_minor < total) {
      const task = buy.history.findLast(({ task_id, affected_packages }) => task_id !== null && affected_packages);
      mustHold(granted(task?.task_id ?? ''), 'I8', how);
    }
    if (buy.status === 'active' || buy.held?.state === 'running') mustHold(granted(), 'I8', how);
  }

  return {
    seen(buy) {
      const { media_buy_id } = buy;
      const before = rows.get(media_buy_id);
      if (before !== undefined && buy.row_version <= before.row_version) return;
      checkAlone(buy);
      if (before !== undefined) checkMove(before, buy);
      giveOut(before, buy);
      checkGrant(before, buy);
      rows.set(media_buy_id, buy);
    },
    approval: (row) => void approvals.set(row.approval_id, row),
    last: (media_buy_id) => rows.get(media_buy_id),
    versionsOf: (media_buy_id, task_id) =>
      [...(versions.get(media_buy_id) ?? [])].flatMap(([version, { tasks }]) => (tasks.has(task_id) ? [version] : [])),
  };
}

function openOrders({ stop, open_change: open }: MediaBuy) {
  return [
    ...(stop ? [{ order: stop.order, tasks: stop.causes.flatMap(({ task_id }) => task_id ?? []) }] : []),
    ...(open?.order ? [{ order: open.order, tasks: open.task_id === null ? [] : [open.task_id] }] : []),
  ];
}

/** What must hold of any row by itself. */
function checkAlone(buy: MediaBuy): void {
  const { media_buy_id: id, packages, history, status } = buy;
  const sum = packages.reduce((total, { budget_minor }) => total + budget_minor, 0);
  mustHold(sum === buy.total_budget_minor, 'sums', () => `${id} is ${buy.total_budget_minor}, its packages ${sum}`);
  const { pending_reason } = toMediaBuyView(buy);
  mustHold((status === 'pending') === (pending_reason !== undefined), 'pending', () => `${id} is ${status}`);
  const chained = history.every(({ from_status }, i) => from_status === (history[i - 1]?.to_status ?? null));
  mustHold(chained, 'history', () => `of ${id} is not chained: ${moves(buy)}`);
  mustHold(history.at(-1)?.to_status === status, 'history', () => `of ${id}, ${status}, ends otherwise: ${moves(buy)}`);
  mustHold(buy.open === MOVES[status].length > 0, 'open', () => `${id} is ${status}`);
}

/** What must hold of two rows, one written after the other. */
function checkMove(before: MediaBuy, buy: MediaBuy): void {
  const { media_buy_id: id } = buy;
  const from = before.status;
  mustHold(from === buy.status || reaches(from, buy.status), 'moves', () => `${id} from ${from} to ${buy.status}`);
  const isKept = isDeepStrictEqual(buy.history.slice(0, before.history.length), before.history);
  mustHold(isKept, 'history', () => `of ${id} is not only added to`);
  mustHold(buy.revision >= before.revision, 'revision', () => `${id} goes back from ${before.revision}`);
  const isSame = isDeepStrictEqual(shown(before), shown(buy));
  // Rows in between that were not seen may have been others, and this one as before.
  const isNext = buy.row_version === before.row_version + 1;
  const isRaised = buy.revision > before.revision;
  mustHold(isSame ? !isRaised || !isNext : isRaised, 'revision', () => {
    return `${id} is ${isSame ? 'the same' : 'another'} from ${before.revision} to ${buy.revision}`;
  });
  mustHold(isSame || MOVES[from].length > 0, 'frozen', () => `${id} was ${from}, and has changed: ${moves(buy)}`);
}

/** By one move, or by several where rows in between were not seen. */
function reaches(from: MediaBuyStatus, to: MediaBuyStatus): boolean {
  return (
    MOVES[from].includes(to) || MOVES[from].some((next) => next !== from && next !== 'paused' && reaches(next, to))
  );
}

/** All that a buyer sees but for the counters themselves. */
function shown(buy: MediaBuy) {
  const { revision: _revision, updated_at: _updated, ...view } = toMediaBuyView(buy);
  return { view, history: buy.history.map(toHistoryView) };
}

function moves({ history }: MediaBuy): string {
  return history.map(({ action, from_status, to_status }) => `${action} ${from_status ?? ''}>${to_status}`).join(', ');
}
