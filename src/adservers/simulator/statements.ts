import { z } from 'zod';
import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import { floorHour, HOUR_MS } from '../../platform/hours.ts';
import { Broken } from '../../sales/ad-server/faults.ts';
import type { Statement, StatementQuery, StatementRow } from '../../sales/ad-server/statement.ts';
import { MediaBuyId } from '../../sales/media-buy/media-buy-id.ts';
import type { PutRules } from './put-turn.ts';
import type { OrderRecords } from './order-records.ts';
import type { AdOrderRecord, NativeHour } from './order-row.ts';
import { hoursSinceSettled, settledHours } from './stated-hours.ts';
import { reachOf } from './statement-reach.ts';
import type { StatementReach } from './statement-reach.ts';

/** A page ends with the part of an order's time in which it comes to so many rows; a part has no more, nor is longer. */
const PAGE_ROWS = 5000;
const MOST_HOURS = 168;

/** Where a page ended: an order of the query and an instant in its flight, and the wall clock of the first page. */
const Place = z.tuple([z.int(), z.int().min(0), z.number()]);

type Standing = { record: AdOrderRecord; reach: StatementReach };

/** What orders have come to by the hour; see `AdServer.statements`. All pages tell what was so at the first one's instant. */
export async function stateOrders(
  records: OrderRecords,
  query: StatementQuery,
  rules: Pick<PutRules, 'nowMs' | 'flightAt' | 'lagMs'>,
): Promise<Statement> {
  const [asOfMs, firstOrder, firstMs] = placeOf(query, rules.nowMs);
  const standings = new Map<string, Standing>();
  for (const media_buy_id of new Set(query.media_buy_ids)) {
    const standing = await standingOf(records, MediaBuyId.parse(media_buy_id), { ...rules, asOfMs });
    if (standing !== undefined) standings.set(media_buy_id, standing);
  }
  const orders = [...standings.values()];
  const rows: StatementRow[] = [];
  let cursor: string | undefined;
  for (let i = firstOrder; i < orders.length && cursor === undefined; i += 1) {
    const standing = orders[i];
    if (standing === undefined) break;
    const untilMs = Math.min(fromTimestamp(query.until), standing.reach.completeMs);
    let atMs = Math.max(i === firstOrder ? firstMs : fromTimestamp(query.from), beginOf(standing.record));
    const tail = hoursSinceSettled(standing.record, Math.max(beginOf(standing.record), standing.reach.statedMs));
    while (atMs < untilMs && cursor === undefined) {
      const partEndMs = Math.min(untilMs, atMs + partMs(standing.record));
      rows.push(...(await rowsOf(records, standing.record, tail, [atMs, partEndMs])));
      atMs = partEndMs;
      const isLast = atMs >= untilMs && i === orders.length - 1;
      if (rows.length >= PAGE_ROWS && !isLast) cursor = JSON.stringify([asOfMs, i, atMs]);
    }
  }
  return {
    complete_until: instantsOf(standings, ({ completeMs }) => completeMs, rules.nowMs),
    final_until: instantsOf(standings, ({ finalMs }) => finalMs, 0),
    rows,
    ...(cursor !== undefined && { cursor }),
  };
}

function placeOf({ cursor, from }: StatementQuery, nowMs: number): [number, number, number] {
  if (cursor === undefined) return [nowMs, 0, fromTimestamp(from)];
  const place = Place.safeParse(readJson(cursor));
  if (!place.success) throw new Broken('the cursor of a statement is none that was given');
  return place.data;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The order with how far it is stated noted down, so that no change reaches back before it. */
async function standingOf(
  records: OrderRecords,
  media_buy_id: MediaBuyId,
  { asOfMs, flightAt, lagMs }: Pick<PutRules, 'flightAt' | 'lagMs'> & { asOfMs: number },
): Promise<Standing | undefined> {
  const reachNow = (record: AdOrderRecord) => reachOf(record, flightAt(record, asOfMs), lagMs);
  const record = await records.write(media_buy_id, (stored) => {
    if (stored === undefined) return undefined;
    const { statedMs } = reachNow(stored);
    return statedMs > fromTimestamp(stored.stated_until)
      ? { ...stored, stated_until: toTimestamp(statedMs) }
      : undefined;
  });
  if (record === undefined) return undefined;
  return { record: await records.settle(record), reach: reachNow(record) };
}

/** How much of an order's time is looked at in one go. */
function partMs({ native }: AdOrderRecord): number {
  const lines = Math.max(1, native?.lines.length ?? 0);
  return Math.min(MOST_HOURS, Math.max(1, Math.floor(PAGE_ROWS / lines))) * HOUR_MS;
}

/** Nothing is delivered before: no instruction is older than its order. */
function beginOf({ created_at }: AdOrderRecord): number {
  return floorHour(fromTimestamp(created_at));
}

async function rowsOf(
  { days }: OrderRecords,
  record: AdOrderRecord,
  tail: readonly NativeHour[],
  [fromMs, untilMs]: readonly [number, number],
): Promise<StatementRow[]> {
  const settled = await settledHours(days, record, [fromMs, untilMs]);
  const [from, until] = [toTimestamp(fromMs), toTimestamp(untilMs)];
  const hours = [...settled, ...tail.filter(({ hour }) => hour >= from && hour < until)];
  hours.sort((a, b) => (a.hour < b.hour ? -1 : a.hour > b.hour ? 1 : 0));
  const { media_buy_id } = record;
  return hours.map(({ package_id, hour, spend_minor, ...counts }) => {
    return { media_buy_id, package_id, hour, counts, spend_minor };
  });
}

/** One instant where all orders have the same, else one for each. */
function instantsOf(
  standings: ReadonlyMap<string, Standing>,
  of: (reach: StatementReach) => number,
  noneMs: number,
): Statement['complete_until'] {
  const instants = [...standings].map(([id, { reach }]) => [id, toTimestamp(of(reach))] as const);
  const [first, ...others] = new Set(instants.map(([, instant]) => instant));
  if (others.length > 0) return Object.fromEntries(instants);
  return first ?? toTimestamp(floorHour(noneMs));
}
