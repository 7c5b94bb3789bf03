import { z } from 'zod';
import { eachAtOnce } from '../../platform/each-at-once.ts';
import { AppError } from '../../platform/errors.ts';
import type { Collection, Where } from '../../platform/store/collection.ts';
import { deliveriesMeant } from './delivery-filter.ts';
import type { DeliveryFilter } from './delivery-filter.ts';
import { resend } from './resend.ts';
import type { ResendDependencies } from './resend.ts';

/** What the row of every range has: many deliveries that are sent again by one wish, page by page. */
export const rangeFields = {
  range_id: z.string(),
  asked_at: z.string(),
  /** How many it has sent. */
  resent: z.int(),
  /** Where the next page begins; null for the first. */
  after: z.string().nullable(),
  revision: z.int(),
};

/** The row of a range. */
export type RangeRow = z.infer<z.ZodObject<typeof rangeFields>> & { filter: DeliveryFilter };

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

export function rangeWork<R extends RangeRow>(deps: ResendDependencies, kind: RangeKind<R>): RangeWork<R> {
  const { clock } = deps;
  const { ranges, marks } = kind;

  async function workOn(range_id: string, forMs = STINT_MS): Promise<R | undefined> {
    const untilMs = clock.now() + forMs;
    for (;;) {
      const range = await ranges.get(range_id);
      if (range === undefined || kind.isOver(range)) return range;
      const { after } = range;
      const page = await deps.deliveries.find({
        where: deliveriesMeant(kind.filterOf(range)),
        sort: { field: 'created_at', direction: 'asc' },
        limit: kind.page,
        ...(after !== null && { after }),
      });
      const isMine = (row: { resent_in?: string | undefined }) => row.resent_in === range_id;
      const toSend = page.rows.filter((row) => !isMine(row));
      const waitMs = toSend.length === 0 ? 0 : ((await kind.room?.(range, toSend.length)) ?? 0);
      if (waitMs > 0) {
        const left = marks.left(clock.now() + waitMs);
        return (await ranges.update(range_id, (row) => (kind.isOver(row) ? undefined : { ...row, ...left })))?.row;
      }
      let sent = page.rows.length - toSend.length;
      await eachAtOnce(toSend, RESENT_AT_ONCE, async ({ delivery_id }) => {
        if (await isSent(deps, delivery_id, range_id)) sent += 1;
      });
      const nowMs = clock.now();
      const isStintOver = nowMs >= untilMs;
      const isLast = page.cursor === undefined;
      const mark = isLast ? marks.over : isStintOver ? marks.left(nowMs) : marks.held(nowMs);
      const outcome = await ranges.update(range_id, (row) =>
        row.after === after && !kind.isOver(row)
          ? { ...row, ...mark, resent: row.resent + sent, after: page.cursor ?? after }
          : undefined,
      );
      if (outcome === undefined || isStintOver || isLast) return outcome?.row;
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

/** Whether it was sent: its registration may have ended meanwhile. */
async function isSent(deps: ResendDependencies, delivery_id: string, range_id: string): Promise<boolean> {
  try {
    await resend(deps, delivery_id, range_id);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'INVALID_STATE') return false;
    throw error;
  }
}
