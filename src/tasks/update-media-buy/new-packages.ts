import { z } from 'zod';
import { toTimestamp } from '../../platform/clock.ts';
import type { Problem } from '../../platform/errors.ts';
import { JsonObject } from '../../platform/json-object.ts';
import type { TaskId } from '../../platform/task-id.ts';
import type { Spoken } from '../../runtime/spoken.ts';
import type { MediaBuy } from '../../sales/media-buy/media-buy.ts';
import type { MediaBuyPackage } from '../../sales/media-buy/media-buy-package.ts';
import { addedPackageId } from '../../sales/media-buy/package-id.ts';
import { pricePackage } from '../../sales/media-buy/package-pricing.ts';
import { earliestStart, flightProblems } from '../../sales/product/flight-limits.ts';
import type { Product } from '../../sales/product/product.ts';
import { judgedPackage, repeatedRefs, tooManyPackages } from '../create-media-buy/judged-package.ts';
import type { PackageFacts } from '../create-media-buy/judged-package.ts';
import { hasOwnFlight, ownFlight, ownFlightProblems, ownTimes } from '../create-media-buy/package-flight.ts';
import { newPackage } from '../create-media-buy/new-media-buy.ts';
import type { NameCreative } from '../create-media-buy/package-creatives.ts';
import { MAX_PACKAGES } from '../create-media-buy/schema.ts';
import type { PackageRequest } from '../create-media-buy/schema.ts';

export interface NewPackageFacts extends PackageFacts {
  /** Where the flight stands, in milliseconds. */
  flightMs: number;
  /** Whose the packages are. Undefined before there is a task: then they are only checked. */
  task_id?: TaskId | undefined;
  /** What is wrong with the creatives that they name and bring. */
  creativeProblems: readonly Problem[];
  nameOf: NameCreative;
  /** What the buyer says of each besides, in a dialect of its own, in their order. */
  asked?: readonly JsonObject[] | undefined;
}

const AT = ['updates', 'new_packages'] as const;

/**
 * The packages that an update adds, as they are sold now: checked as those of a new buy, and in the buy's currency (rule
 * B6.new-packages). Each begins with the buy, or as soon as it can. What is wrong is added to `problems`; without a problem of the
 * flight's own only. Pure.
 */
export function planNewPackages(
  buy: MediaBuy,
  wanted: readonly PackageRequest[],
  facts: NewPackageFacts,
  { flight, problems }: { flight: { startMs: number; endMs: number } | undefined; problems: Problem[] },
): MediaBuyPackage[] {
  if (wanted.length === 0) return [];
  const taken = new Set(buy.packages.flatMap(({ buyer_ref }) => buyer_ref ?? []));
  const most = Math.min(MAX_PACKAGES, facts.adServer?.limits.lines_per_order ?? Infinity);
  problems.push(
    ...repeatedRefs(wanted, AT, taken),
    ...(buy.packages.length + wanted.length > most ? [tooMany(buy, most)] : []),
    ...facts.creativeProblems,
  );
  return wanted.flatMap((request, i) => {
    const at = [...AT, i];
    const judged = judgedPackage(request, at, facts);
    problems.push(...judged.problems);
    if (judged.amount !== undefined && judged.amount.currency !== buy.currency) {
      problems.push(otherCurrency(buy, judged.amount.currency, at));
    }
    const product = facts.catalog.products.get(request.product_id);
    if (product === undefined) return [];
    const begin = flight && { ...flight, startMs: startOf(product, request, { ...flight, flightMs: facts.flightMs }) };
    const own = begin && ownFlight(request, begin);
    if (flight !== undefined && begin !== undefined) {
      problems.push(
        ...(hasOwnFlight(request)
          ? ownFlightProblems(request, at, { flight: begin, product, orderedMs: facts.flightMs })
          : misfitFlight(product, { ...begin, flightMs: facts.flightMs }, at)),
      );
    }
    const priced = pricePackage(product, request, at);
    if (!priced.ok) return [];
    const package_id = facts.task_id ? addedPackageId(buy.media_buy_id, facts.task_id, i + 1) : `new_packages[${i}]`;
    const line = newPackage({ request, product, price: priced.price }, package_id, facts.nameOf);
    const asked = facts.asked?.[i];
    return [{ ...line, ...(own && ownTimes(own, flight)), ...(asked && { asked }) }];
  });
}

/** What a public request says of each package besides; see `MediaBuyPackage.asked`. */
export function askedOfPackages(spoken: Spoken | undefined): JsonObject[] | undefined {
  const asked = AskedOfPackages.safeParse(spoken?.extra);
  return asked.success ? asked.data.new_packages : undefined;
}

const AskedOfPackages = z.object({ new_packages: z.array(JsonObject) });

function tooMany({ packages }: MediaBuy, most: number): Problem {
  const problem = tooManyPackages(most, AT);
  return { ...problem, message: `${problem.message} (this has ${packages.length})` };
}

function otherCurrency({ currency }: MediaBuy, other: string, at: readonly PropertyKey[]): Problem {
  return {
    code: 'INVALID_REQUEST',
    path: [...at, 'pricing_option_id'],
    message: `is in ${other}, and the media buy in ${currency}; a media buy has one currency`,
    suggestion: `choose a pricing option in ${currency}, or make a media buy of its own`,
  };
}

interface FlightOfPackage {
  startMs: number;
  endMs: number;
  flightMs: number;
}

/** From when it can run in full: with the buy, or after the product's lead time from now, which a start of its own is held to by itself. */
function startOf(product: Product, { start_time }: PackageRequest, { startMs, flightMs }: FlightOfPackage): number {
  return start_time === undefined ? Math.max(startMs, earliestStart([product], flightMs)) : startMs;
}

function misfitFlight(
  product: Product,
  { startMs, endMs, flightMs }: FlightOfPackage,
  at: readonly PropertyKey[],
): Problem[] {
  const path = [...at, 'product_id'];
  if (startMs >= endMs) {
    const message = `product ${product.product_id} can begin at ${toTimestamp(startMs)}, when the flight is over`;
    return [{ code: 'INVALID_REQUEST', path, message, suggestion: 'another product, or a later end_time of the buy' }];
  }
  return flightProblems(product, { orderedMs: flightMs, startMs, endMs }).map(({ message }): Problem => {
    return { code: 'INVALID_REQUEST', path, message, suggestion: 'another product, or another end_time of the buy' };
  });
}
