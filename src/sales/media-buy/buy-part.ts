import type { Clock } from '../../platform/clock.ts';
import { allRows } from '../../platform/store/all-rows.ts';
import type { Collection, Query } from '../../platform/store/collection.ts';
import { UnreadableRowError } from '../../platform/store/collection-rows.ts';
import type { MediaBuyId } from './media-buy-id.ts';
import type { MediaBuy } from './media-buy.ts';

/** Something that is owed to a buy and stands in its row, counted by a `revision` of its own. */
export interface BuyPart {
  media_buy_id: MediaBuyId;
  /** When to look again, by the wall clock; null when nothing is owed. */
  due_at: string | null;
  revision: number;
}

/** Where in the buy's row a part stands. */
export interface BuyPartSpec<P extends BuyPart> {
  /** The indexed field of the buy that holds `due_at`. */
  due: 'flight_due_at' | 'reporting_due_at';
  /** Undefined where the row does not say; null where it says that there is none. Pure. */
  read: (buy: MediaBuy) => P | null | undefined;
  write: (buy: MediaBuy, part: P) => MediaBuy;
}

export interface BuyPartsDependencies<P extends BuyPart> {
  mediaBuys: Collection<MediaBuy>;
  /** Where parts had rows of their own: until they are moved, they count. */
  former: Collection<P>;
  clock: Clock;
}

/**
 * The parts of all buys as if each were a row of its own, with compare-and-swap by its own `revision`: a change of the rest of the
 * buy's row stands in nobody's way, and a buyer's change is only read anew where a part was written beside it.
 */
export interface BuyParts<P extends BuyPart> {
  get(media_buy_id: MediaBuyId): Promise<P | undefined>;
  /** Like `Collection.update`; with the buy as it then stands. `beside` may change other parts of it in the same write. Pure. */
  update(
    media_buy_id: MediaBuyId,
    change: (part: P) => P | undefined,
    beside?: (buy: MediaBuy, part: P) => MediaBuy,
  ): Promise<ChangedPart<P> | undefined>;
  /** Begins a part where the buy has none; false where it has one, or there is no such buy. */
  insert(part: P): Promise<boolean>;
  /** The buys whose part is due in this range, the longest due first. */
  due(range: { gt: string; lte?: string }, limit: number): Promise<MediaBuy[]>;
}

export interface ChangedPart<P extends BuyPart> {
  row: P;
  buy: MediaBuy;
  changed: boolean;
}

/** How soon a process that has moved all former rows looks whether there are more: a process of the former release may work beside it. */
const LOOK_AGAIN_MS = 60_000;

export function createBuyParts<P extends BuyPart>(
  { mediaBuys, former, clock }: BuyPartsDependencies<P>,
  { due, read, write }: BuyPartSpec<P>,
): BuyParts<P> {
  /** When to look for former rows next, in milliseconds; a clock that is set back makes it due. */
  let lookedMs: number | undefined;

  async function stored(media_buy_id: MediaBuyId): Promise<P | null | undefined> {
    const buy = await mediaBuys.get(media_buy_id);
    return buy && read(buy);
  }

  /** Writes a former row into its buy, once, and then takes it away. A death in between leaves a row that says nothing any more. */
  async function move(row: P): Promise<void> {
    const outcome = await mediaBuys.update(row.media_buy_id, (buy) =>
      read(buy) === undefined ? write(buy, { ...row, revision: row.revision + 1 }) : undefined,
    );
    if (outcome !== undefined) await former.delete(row.media_buy_id);
    else await former.update(row.media_buy_id, (stored) => ({ ...stored, due_at: null }));
  }

  async function moveAll(): Promise<void> {
    const nowMs = clock.now();
    if (lookedMs !== undefined && nowMs >= lookedMs && nowMs < lookedMs + LOOK_AGAIN_MS) return;
    for await (const row of allRows(former, { where: { due_at: { gt: '' } } } as FormerQuery<P>)) {
      try {
        await move(row);
      } catch (error) {
        // What stands on the list of unreadable rows is tried again; others do not wait for it.
        if (!(error instanceof UnreadableRowError)) throw error;
      }
    }
    lookedMs = nowMs;
  }

  return {
    async get(media_buy_id) {
      const part = await stored(media_buy_id);
      if (part !== undefined) return part ?? undefined;
      const left = await former.get(media_buy_id);
      // Where there is none it may have been moved since we looked.
      return left ?? (await stored(media_buy_id)) ?? undefined;
    },
    async update(media_buy_id, change, beside = (buy) => buy) {
      for (;;) {
        let seen: P | null | undefined;
        let row: P | undefined;
        const outcome = await mediaBuys.update(media_buy_id, (buy) => {
          seen = read(buy);
          if (!seen) return undefined;
          const next = change(seen);
          if (next === undefined) return undefined;
          row = { ...next, revision: seen.revision + 1 };
          return beside(write(buy, row), row);
        });
        if (outcome === undefined || seen === null) return undefined;
        if (seen !== undefined) {
          return { row: outcome.changed && row !== undefined ? row : seen, buy: outcome.row, changed: outcome.changed };
        }
        const left = await former.get(media_buy_id);
        if (left !== undefined) await move(left);
        // Where there is none it may have been moved since we looked.
        else if (!(await stored(media_buy_id))) return undefined;
      }
    },
    async insert(part) {
      const outcome = await mediaBuys.update(part.media_buy_id, (buy) =>
        read(buy) ? undefined : write(buy, { ...part, revision: 1 }),
      );
      return outcome?.changed ?? false;
    },
    async due(range, limit) {
      await moveAll();
      const sort = { field: due, direction: 'asc' } as const;
      return (await mediaBuys.find({ where: { [due]: range }, sort, limit })).rows;
    },
  };
}

type FormerQuery<P extends BuyPart> = Query<P>;
