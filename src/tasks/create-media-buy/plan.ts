import type { Catalog } from '../../sales/catalog.ts';
import { pricePackage, totalBudget } from '../../sales/media-buy/package-pricing.ts';
import type { PackagePrice } from '../../sales/media-buy/package-pricing.ts';
import { DAY_MS } from '../../platform/hours.ts';
import { earliestStart, flightProblems } from '../../sales/product/flight-limits.ts';
import { MAX_FLIGHT_DAYS } from '../../sales/product/product.ts';
import type { Product } from '../../sales/product/product.ts';
import { offeredBy } from '../../sales/targeting/offered-targeting.ts';
import { askedTargeting } from '../asked-targeting.ts';
import { refusalOf } from '../problems.ts';
import type { Problem } from '../problems.ts';
import type { CreateMediaBuyRequest, PackageRequest } from './schema.ts';
import { startInstant } from './start-time.ts';

/** How far a start in the past is taken as "now", for clocks that differ. */
export const START_TOLERANCE_MS = 5 * 60_000;

export interface PlannedPackage {
  request: PackageRequest;
  product: Product;
  price: PackagePrice;
}

/** A request that holds: every package priced, the flight resolved. Amounts in minor units, instants in milliseconds. */
export interface MediaBuyPlan {
  packages: PlannedPackage[];
  currency: string;
  total_budget_minor: number;
  startMs: number;
  endMs: number;
}

/**
 * Checks a request against the catalog and the calendar. Pure; reports every problem at once, the total once every
 * package has a price.
 * @throws {AppError} with the first problem's code and field, and all of them in `issues`.
 */
export function planMediaBuy(request: CreateMediaBuyRequest, catalog: Catalog, nowMs: number): MediaBuyPlan {
  const problems: Problem[] = [];
  const products = request.packages.flatMap(({ product_id }) => catalog.products.get(product_id) ?? []);
  const { startMs, endMs, ...calendar } = planFlight(request, products, nowMs);
  problems.push(...calendar.problems);
  const packages = request.packages.flatMap((wanted, i) => planPackage(wanted, i, catalog, problems));
  problems.push(...repeatedRefs(request.packages));
  if (problems.length > 0) throw refusalOf(problems);
  const total = totalBudget(packages.map(({ price }) => price));
  if (!total.ok) throw refusalOf(total.problems);
  return {
    packages,
    currency: total.currency,
    total_budget_minor: total.total_minor,
    startMs: Math.max(startMs, nowMs),
    endMs,
  };
}

type FlightRequest = Pick<CreateMediaBuyRequest, 'start_time' | 'end_time'>;

/** When the flight is, and what the calendar and the products' own limits say against it. */
export function planFlight(
  request: FlightRequest,
  products: readonly Product[],
  nowMs: number,
): { startMs: number; endMs: number; problems: Problem[] } {
  const startMs = startInstant(request.start_time, earliestStart(products, nowMs));
  const endMs = Date.parse(request.end_time);
  const problems = calendarProblems(request, startMs, endMs, nowMs);
  if (problems.length > 0) return { startMs, endMs, problems };
  return { startMs, endMs, problems: limitProblems(request, products, { orderedMs: nowMs, startMs, endMs }) };
}

function planPackage(wanted: PackageRequest, i: number, catalog: Catalog, problems: Problem[]): PlannedPackage[] {
  const at = ['packages', i];
  const product = catalog.products.get(wanted.product_id);
  if (product === undefined) {
    problems.push(unknownProduct(wanted.product_id, at));
    return [];
  }
  const { product_id, targeting_overlay } = wanted;
  const asked = { product_id, offered: offeredBy(product) };
  problems.push(...askedTargeting(targeting_overlay ?? {}, asked, [...at, 'targeting_overlay']));
  const priced = pricePackage(product, wanted, at);
  if (priced.ok) return [{ request: wanted, product, price: priced.price }];
  problems.push(...priced.problems);
  return [];
}

export function unknownProduct(product_id: string, at: readonly PropertyKey[]): Problem {
  const message = `no product has the id ${product_id}; get_products lists those there are`;
  return { code: 'PRODUCT_NOT_FOUND', path: [...at, 'product_id'], message };
}

function calendarProblems(request: FlightRequest, startMs: number, endMs: number, nowMs: number): Problem[] {
  if (startMs < nowMs - START_TOLERANCE_MS) {
    const message = 'is in the past; send a later one, or asap';
    return [{ code: 'INVALID_REQUEST', path: startPath(request), message }];
  }
  if (endMs <= startMs) {
    return [{ code: 'INVALID_REQUEST', path: ['end_time'], message: 'must be after the start; send a later one' }];
  }
  if (endMs <= nowMs) {
    return [{ code: 'INVALID_REQUEST', path: ['end_time'], message: 'is in the past; send a later one' }];
  }
  if (endMs - startMs > MAX_FLIGHT_DAYS * DAY_MS) {
    return [
      {
        code: 'INVALID_REQUEST',
        path: ['end_time'],
        message: `must be at most ${MAX_FLIGHT_DAYS} days after the start`,
      },
    ];
  }
  return [];
}

/** What the products' own limits say of the flight, each product once. */
function limitProblems(request: FlightRequest, products: readonly Product[], flight: FlightTimes): Problem[] {
  return [...new Set(products)].flatMap((product) =>
    flightProblems(product, flight).map(({ end, message, suggestion }): Problem => {
      const path = end === 'end' ? ['end_time'] : startPath(request);
      return { code: 'INVALID_REQUEST', path, message, suggestion };
    }),
  );
}

interface FlightTimes {
  orderedMs: number;
  startMs: number;
  endMs: number;
}

function startPath({ start_time }: FlightRequest): string[] {
  return typeof start_time === 'string' ? ['start_time'] : ['start_time', 'datetime'];
}

/** Two packages with one `buyer_ref` could not be told apart later. */
export function repeatedRefs(packages: readonly Pick<PackageRequest, 'buyer_ref'>[]): Problem[] {
  const seen = new Set<string>();
  return packages.flatMap(({ buyer_ref }, i): Problem[] => {
    if (buyer_ref === undefined) return [];
    const repeated = seen.has(buyer_ref);
    seen.add(buyer_ref);
    const message = 'is used by an earlier package of this request; give each its own';
    return repeated ? [{ code: 'INVALID_REQUEST', path: ['packages', i, 'buyer_ref'], message }] : [];
  });
}
