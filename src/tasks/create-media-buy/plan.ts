import type { Catalog } from '../../sales/catalog.ts';
import { pricePackage, totalBudget } from '../../sales/media-buy/package-pricing.ts';
import type { PackagePrice } from '../../sales/media-buy/package-pricing.ts';
import { DAY_MS } from '../../platform/hours.ts';
import { earliestStart, flightProblems } from '../../sales/product/flight-limits.ts';
import { MAX_FLIGHT_DAYS } from '../../sales/product/product.ts';
import type { Product } from '../../sales/product/product.ts';
import { refusalOf } from '../../platform/problem.ts';
import type { Problem } from '../../platform/errors.ts';
import { judgedPackage, repeatedRefs, tooManyPackages } from './judged-package.ts';
import type { PackageFacts } from './judged-package.ts';
import { hasOwnFlight, ownFlightProblems, START_TOLERANCE_MS } from './package-flight.ts';
import type { MediaBuyParts, PackageParts } from './parts.ts';
import type { CreateMediaBuyRequest, PackageRequest } from './schema.ts';
import { startInstant } from './start-time.ts';

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
 * A request that holds against the catalog and the calendar. Pure.
 * @throws {AppError} all that is wrong with it (see `refusalOf`).
 */
export function planMediaBuy(request: CreateMediaBuyRequest, catalog: Catalog, nowMs: number): MediaBuyPlan {
  const problems = planProblems(request, { catalog, nowMs });
  if (problems.length > 0) throw refusalOf(problems, request);
  const packages = request.packages.flatMap((wanted): PlannedPackage[] => {
    const product = catalog.products.get(wanted.product_id);
    if (product === undefined) return [];
    const priced = pricePackage(product, wanted, []);
    return priced.ok ? [{ request: wanted, product, price: priced.price }] : [];
  });
  const total = totalBudget(packages.map(({ price }) => price));
  if (!total.ok) throw refusalOf(total.problems, request);
  const { startMs, endMs } = planFlight(request, withTheBuy(request.packages, catalog), nowMs);
  return {
    packages,
    currency: total.currency,
    total_budget_minor: total.total_minor,
    startMs: Math.max(startMs, nowMs),
    endMs,
  };
}

/** What the catalog, the calendar and the ad server say against a request, or against the parts of one. Pure. */
export function planProblems(parts: MediaBuyParts, facts: PackageFacts & { nowMs: number }): Problem[] {
  const { packages = [], start_time, end_time } = parts;
  const products = withTheBuy(packages, facts.catalog);
  const judged = packages.map((wanted, i) => judgedPackage(wanted, ['packages', i], facts));
  const total = totalBudget(judged.map(({ amount }) => amount));
  const isPriced = judged.some(({ amount }) => amount !== undefined);
  const most = facts.adServer?.limits.lines_per_order ?? Infinity;
  return [
    ...(start_time === undefined || end_time === undefined
      ? []
      : flightProblemsOf({ start_time, end_time }, packages, { products, ...facts })),
    ...judged.flatMap(({ problems }) => problems),
    ...repeatedRefs(packages, ['packages']),
    ...(total.ok || !isPriced ? [] : total.problems),
    ...(packages.length > most ? [tooManyPackages(most, ['packages'])] : []),
  ];
}

/** What packages that hold come to, or those of them that do; undefined where they come to nothing together. Pure. */
export function totalOfPackages(
  { packages = [] }: MediaBuyParts,
  catalog: Catalog,
): { currency: string; total_minor: number } | undefined {
  const amounts = packages.map((wanted, i) => judgedPackage(wanted, ['packages', i], { catalog }).amount);
  const total = totalBudget(amounts);
  return total.ok ? total : undefined;
}

type FlightRequest = Pick<CreateMediaBuyRequest, 'start_time' | 'end_time'>;

/** The products of packages that run as long as the media buy: its flight is held against theirs. */
function withTheBuy(packages: readonly PackageParts[], { products }: Catalog): Product[] {
  return packages.flatMap((wanted) =>
    hasOwnFlight(wanted) || wanted.product_id === undefined ? [] : (products.get(wanted.product_id) ?? []),
  );
}

/** What is wrong with the flight, and, where it is sound, with those of packages within it. */
function flightProblemsOf(
  request: FlightRequest,
  packages: readonly PackageParts[],
  { products, catalog, nowMs }: { products: readonly Product[]; catalog: Catalog; nowMs: number },
): Problem[] {
  const { startMs, endMs, problems } = planFlight(request, products, nowMs);
  if (problems.length > 0) return problems;
  return packages.flatMap((wanted, i) => {
    const product = catalog.products.get(wanted.product_id ?? '');
    return ownFlightProblems(wanted, ['packages', i], { flight: { startMs, endMs }, product, orderedMs: nowMs });
  });
}

/** When the flight is, and what the calendar and the products' own limits say against it. */
function planFlight(
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
