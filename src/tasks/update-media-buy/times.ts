import { toTimestamp } from '../../platform/clock.ts';
import type { Problem } from '../../platform/errors.ts';
import { DAY_MS } from '../../platform/hours.ts';
import type { MediaBuy } from '../../sales/media-buy/media-buy.ts';
import { lineEnd, lineStart } from '../../sales/media-buy/media-buy-package.ts';
import { earliestStart, flightProblems } from '../../sales/product/flight-limits.ts';
import type { FlightProblem } from '../../sales/product/flight-limits.ts';
import { MAX_FLIGHT_DAYS } from '../../sales/product/product.ts';
import type { Product } from '../../sales/product/product.ts';
import { START_TOLERANCE_MS } from '../create-media-buy/package-flight.ts';
import { startInstant } from '../create-media-buy/start-time.ts';
import type { Updates } from './schema.ts';

/** What times are planned against, besides the buy. */
interface TimeFacts {
  /** Where the flight stands, in milliseconds. */
  flightMs: number;
  /** The products of the buy that are still in the catalog. */
  products: readonly Product[];
}

/** What a buy's times come to: checked against the calendar, its packages and its products. What is wrong is added to `problems`. Pure. */
export function planTimes(buy: MediaBuy, updates: Updates, { flightMs, products }: TimeFacts, problems: Problem[]) {
  const { start_time, end_time } = buy;
  const orderedMs = Date.parse(buy.created_at);
  let startMs = Date.parse(start_time);
  const before = problems.length;
  const note = (field: 'start_time' | 'end_time', message: string, suggestion?: string) => {
    const problem: Problem = { code: 'INVALID_REQUEST', path: ['updates', field], message };
    problems.push({ ...problem, ...(suggestion !== undefined && { suggestion }) });
  };
  if (updates.start_time !== undefined) {
    const wantedMs = startInstant(updates.start_time, Math.max(flightMs, earliestStart(products, orderedMs)));
    if (startMs <= flightMs) note('start_time', 'the flight has begun; its start can no longer change');
    else if (wantedMs < flightMs - START_TOLERANCE_MS) note('start_time', 'is in the past; send a later one, or asap');
    startMs = Math.max(wantedMs, flightMs);
  }
  const endMs = Date.parse(updates.end_time ?? end_time);
  const field = updates.end_time === undefined ? 'start_time' : 'end_time';
  if (updates.end_time !== undefined && endMs <= flightMs) note('end_time', 'is in the past; send a later one');
  else if (endMs <= startMs) note(field, 'the end must be after the start');
  else if (endMs - startMs > MAX_FLIGHT_DAYS * DAY_MS) {
    note(field, `the end must be at most ${MAX_FLIGHT_DAYS} days after the start`);
  }
  if (problems.length === before && (updates.start_time ?? updates.end_time) !== undefined) {
    for (const { end, message, suggestion } of limitProblems(buy, products, { orderedMs, startMs, endMs })) {
      if (end === 'end') note(field, message, suggestion);
      else if (updates.start_time !== undefined) note('start_time', message, suggestion);
    }
  }
  const last = buy.packages.find((line) => endMs <= Date.parse(lineStart(buy, line)));
  if (updates.end_time !== undefined && problems.length === before && last !== undefined) {
    note('end_time', `package ${last.package_id} begins at ${lineStart(buy, last)} only; send a later one`);
  }
  const first = buy.packages.find((line) => Date.parse(lineEnd(buy, line)) <= startMs);
  if (updates.start_time !== undefined && problems.length === before && first !== undefined) {
    note('start_time', `package ${first.package_id} is over by ${lineEnd(buy, first)}; send an earlier one`);
  }
  return {
    start_time: updates.start_time === undefined ? start_time : toTimestamp(startMs),
    end_time: toTimestamp(endMs),
    flight: problems.length === before ? { startMs, endMs } : undefined,
  };
}

/** What the products' own limits say of a flight, each once: of packages with times of their own, by those. */
function limitProblems(
  buy: MediaBuy,
  products: readonly Product[],
  { orderedMs, startMs, endMs }: { orderedMs: number; startMs: number; endMs: number },
): FlightProblem[] {
  const moved = { start_time: toTimestamp(startMs), end_time: toTimestamp(endMs) };
  const found = buy.packages.flatMap((line) => {
    const product = products.find(({ product_id }) => product_id === line.product_id);
    const own = { startMs: Date.parse(lineStart(moved, line)), endMs: Date.parse(lineEnd(moved, line)) };
    return product === undefined ? [] : flightProblems(product, { orderedMs, ...own });
  });
  return [...new Map(found.map((problem) => [problem.message, problem])).values()];
}
