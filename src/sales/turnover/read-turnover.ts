import type { Clock } from '../../platform/clock.ts';
import type { Store } from '../../platform/store/collection.ts';
import { MARK_ID, TurnoverDays, turnoverDays, turnoverKey, TurnoverMarks } from './turnover-day.ts';
import type { TurnoverDay, TurnoverKind } from './turnover-day.ts';

/** A day in one currency, in its minor units; undefined where that day has not been summed. */
export interface DayOfTurnover {
  /** `2026-04-01`, of UTC. */
  day: string;
  booked_minor: number | undefined;
  delivered_minor: number | undefined;
}

export interface Turnover {
  /** What changed before is in it; null: nothing has been summed yet. */
  summed_until: string | null;
  /** By currency, in the order of their codes: those in which anything was booked or delivered; all days, oldest first. */
  currencies: ReadonlyMap<string, DayOfTurnover[]>;
}

/** What was booked and delivered on each of the last days, as {@link sumTurnover} has summed it: 60 rows, however many buys there are. */
export async function readTurnover({ store, clock }: { store: Store; clock: Clock }): Promise<Turnover> {
  const days = turnoverDays(clock.now());
  const keys = days.flatMap((day) => [turnoverKey('booked', day), turnoverKey('delivered', day)]);
  const [mark, rows] = await Promise.all([
    store.collection(TurnoverMarks).get(MARK_ID),
    store.collection(TurnoverDays).getMany(keys, { skipUnreadable: true }),
  ]);
  const byKey = new Map(rows.map((row) => [row.turnover_key, row.amounts]));
  const amountOf = (kind: TurnoverKind, day: string, currency: string) => {
    const amounts: TurnoverDay['amounts'] | undefined = byKey.get(turnoverKey(kind, day));
    return amounts && (amounts[currency] ?? 0);
  };
  const names = [...new Set(rows.flatMap(({ amounts }) => Object.keys(amounts)))].sort();
  const currencies = names.map((currency): [string, DayOfTurnover[]] => [
    currency,
    days.map((day) => ({
      day,
      booked_minor: amountOf('booked', day, currency),
      delivered_minor: amountOf('delivered', day, currency),
    })),
  ]);
  return { summed_until: mark?.summed_until ?? null, currencies: new Map(currencies) };
}
