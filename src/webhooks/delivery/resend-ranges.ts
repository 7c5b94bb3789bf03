import { z } from 'zod';
import { eachAtOnce } from '../../platform/each-at-once.ts';
import type { Collection, Where } from '../../platform/store/collection.ts';
import { deliveriesMeant } from './delivery-filter.ts';
import type { DeliveryFilter } from './delivery-filter.ts';
import { isResentIn, resendInRange } from './resend.ts';
import type { ResendDependencies } from './resend.ts';

/** What a range has not sent, though it was meant, by why. */
export const RangeLeftOut = z.object({
  ended: z.int().describe('Whose registration has ended'),
  not_kept: z.int().describe('That are kept no longer'),
  otherwise: z.int().describe('That fit no more, such as those that were sent again otherwise meanwhile'),
});
export type RangeLeftOut = z.infer<typeof RangeLeftOut>;

/** Of a range that is new, and in rows of those who did not count it. */
export const NOTHING_LEFT_OUT: RangeLeftOut = { ended: 0, not_kept: 0, otherwise: 0 };

/** What the row of every range has: many deliveries that are sent again by one wish, page by page. */
export const rangeFields = {
  range_id: z.string(),
  asked_at: z.string(),
  /** How many it has sent. */
  resent: z.int(),
  /** How many it has given up, since each try to send them failed by a fault of ours; the log names them. */
  failed: z.int().default(0),
  /** How many of its pages it has left out. */
  left_out: RangeLeftOut.default(NOTHING_LEFT_OUT),
  /** Where the next page begins; null for the first. */
  after: z.string().nullable(),
  /**
   * The page that is being sent: what is sent fits the filter no more, so that a page which was begun cannot be read again by it.
   * `after`: where the one behind it begins; null where it is the last. `faults`: how often some of it could not be sent.
   */
  in_hand: z
    .object({ delivery_ids: z.array(z.string()), after: z.string().nullable(), faults: z.int() })
    .nullable()
    .default(null),
  revision: z.int(),
};

/** The row of a range. */
export type RangeRow = z.infer<z.ZodObject<typeof rangeFields>> & { filter: DeliveryFilter };

type PageInHand = NonNullable<RangeRow['in_hand']>;

/** Whose ranges they are: where they stand, when somebody is to go on with one, and at what pace it is sent. */
export interface RangeKind<R extends RangeRow> {
  ranges: Collection<R>;
  /** The rows that wait for somebody, or whose somebody has died. */
  due(nowMs: number): Where<R>;
  isOver(range: R): boolean;
  /** What a row says while somebody is at it, as of now; when it is left until then; and once all is done. */
  marks: { held(nowMs: number): Partial<R>; left(untilMs: number): Partial<R>; over: Partial<R> };
  filterOf(range: R): DeliveryFilter;
  /** So many are read, sent and noted at a time; one, where there is not always room. */
  page: number;
  /** Takes room for so many; answers how long it lasts until there is any, in milliseconds: 0 where it has been taken. Absent: there always is. */
  room?(range: R, count: number): Promise<number>;
}

/** What is done with the ranges of a kind. */
export interface RangeWork<R> {
  /**
   * Works on a range for at most `forMs`, then leaves the rest to {@link RangeWork.continueDue}. Killed anywhere, no event is sent by it
   * twice. Answers the range as it then stands; undefined where there is none.
   */
  workOn(range_id: string, forMs?: number): Promise<R | undefined>;
  /** Takes up the ranges that nobody is at. Safe in several processes at once. Answers how many there were. */
  continueDue(): Promise<number>;
}

/** Whoever works on a range for so long without a page done has died. */
export const RANGE_LEASE_MS = 30_000;
/** How long one process works on a range before it looks at anything else. */
const STINT_MS = 5_000;
/** So many deliveries of a page are read and written at a time. */
const RESENT_AT_ONCE = 20;
/** So many ranges are taken up in one go. */
const TAKEN_UP = 10;
/** What could not be sent so many times, a lease apart, is given up, so that a range ends. */
const MOST_FAULTS = 3;

export function rangeWork<R extends RangeRow>(deps: ResendDependencies, kind: RangeKind<R>): RangeWork<R> {
  const { clock } = deps;
  const { ranges, marks } = kind;

  /** The page that is to be sent, with room taken for it; undefined where there is none for now, or somebody else was quicker. */
  async function pageOf(range: R): Promise<PageInHand | undefined> {
    const { range_id, after } = range;
    if (range.in_hand !== null) return range.in_hand;
    const page = await deps.deliveries.find({
      where: deliveriesMeant(kind.filterOf(range)),
      sort: { field: 'created_at', direction: 'asc' },
      limit: kind.page,
      ...(after !== null && { after }),
    });
    const toSend = page.rows.filter((row) => !isResentIn(row, range_id));
    const waitMs = toSend.length === 0 ? 0 : ((await kind.room?.(range, toSend.length)) ?? 0);
    const in_hand = {
      ...{ delivery_ids: page.rows.map(({ delivery_id }) => delivery_id), after: page.cursor ?? null, faults: 0 },
    };
    const change = waitMs > 0 ? marks.left(clock.now() + waitMs) : { in_hand };
    const outcome = await ranges.update(range_id, (row) =>
      row.after === after && row.in_hand === null && !kind.isOver(row) ? { ...row, ...change } : undefined,
    );
    return waitMs > 0 || outcome?.changed !== true ? undefined : in_hand;
  }

  /** Sends what of a page is to be sent; answers how many the range has sent of it by now, whoever did, of how many that failed, and what it left out. */
  async function sendPage(
    { range_id, filter: { state } }: Pick<R, 'range_id' | 'filter'>,
    { delivery_ids }: PageInHand,
  ) {
    const count = { sent: 0, failed: 0, left_out: { ...NOTHING_LEFT_OUT } };
    await eachAtOnce(delivery_ids, RESENT_AT_ONCE, async (delivery_id) => {
      try {
        const outcome = await resendInRange(deps, delivery_id, { range_id, state });
        if (outcome === 'sent') count.sent += 1;
        else count.left_out[outcome] += 1;
      } catch (error) {
        count.failed += 1;
        deps.log.warn({ err: error, delivery_id, range_id }, 'a webhook of a range cannot be sent again');
      }
    });
    return count;
  }

  async function workOn(range_id: string, forMs = STINT_MS): Promise<R | undefined> {
    const untilMs = clock.now() + forMs;
    for (;;) {
      const range = await ranges.get(range_id);
      if (range === undefined || kind.isOver(range)) return range;
      const { after } = range;
      const page = await pageOf(range);
      if (page === undefined) return ranges.get(range_id);
      const { sent, failed, left_out } = await sendPage(range, page);
      const nowMs = clock.now();
      const isStuck = failed > 0 && page.faults + 1 < MOST_FAULTS;
      const isStintOver = nowMs >= untilMs;
      const isLast = page.after === null;
      const mark = isStuck || !(isLast || isStintOver) ? marks.held(nowMs) : isLast ? marks.over : marks.left(nowMs);
      const outcome = await ranges.update(range_id, (row) => {
        if (row.after !== after || row.in_hand === null) return undefined;
        // What was sent counts, too, of a range that has been stopped meanwhile.
        const marked = kind.isOver(row) ? row : { ...row, ...mark };
        if (isStuck) return { ...marked, in_hand: { ...row.in_hand, faults: page.faults + 1 } };
        return {
          ...marked,
          ...{ resent: row.resent + sent, failed: row.failed + failed },
          left_out: added(row.left_out, left_out),
          ...{ after: page.after ?? after, in_hand: null },
        };
      });
      if (outcome === undefined || isStuck || isStintOver || isLast) return outcome?.row;
    }
  }

  return {
    workOn,
    async continueDue() {
      const { rows } = await ranges.find({ where: kind.due(clock.now()), limit: TAKEN_UP });
      for (const { range_id, revision } of rows) {
        const claim = await ranges.update(range_id, (row) =>
          row.revision === revision ? { ...row, ...marks.held(clock.now()) } : undefined,
        );
        if (claim?.changed === true) await workOn(range_id);
      }
      return rows.length;
    },
  };
}

/** Notes a range; one of this id that is there already stays as it is. Answers what is stored. */
export async function noteRange<R extends RangeRow>(ranges: Collection<R>, range: R): Promise<R> {
  await ranges.insert(range);
  return (await ranges.get(range.range_id)) ?? range;
}

/**
 * What a range has left out by now. Of one that has come to its end, those too that no page of it had: they fitted no more when their
 * turn came. `total`: how many there were; null where that is not known. Pure.
 */
export function leftOutOf(
  { resent, failed, left_out }: Pick<RangeRow, 'resent' | 'failed' | 'left_out'>,
  { total, isAtItsEnd }: { total: number | null; isAtItsEnd: boolean },
): RangeLeftOut {
  const { ended, not_kept, otherwise } = left_out;
  if (!isAtItsEnd || total === null) return left_out;
  return { ended, not_kept, otherwise: Math.max(otherwise, total - resent - failed - ended - not_kept) };
}

function added(a: RangeLeftOut, b: RangeLeftOut): RangeLeftOut {
  return { ended: a.ended + b.ended, not_kept: a.not_kept + b.not_kept, otherwise: a.otherwise + b.otherwise };
}
