import { z } from 'zod';
import { parseMoney } from '../../platform/money.ts';
import { Currency, Identifier, Text } from '../catalog-values.ts';
import type { PricingModel, PricingOption } from './pricing-option.ts';

const MODELS = {
  cpm: 'cpm',
  'cpm-auction': 'cpm-auction',
  cpm_auction: 'cpm-auction',
  'flat-fee': 'flat-fee',
  flat_fee: 'flat-fee',
  flat_rate: 'flat-fee',
} as const satisfies Record<string, PricingModel>;

/** Checked with its currency, which another field may name. */
const amount = z.unknown().optional();

const Spelled = z.strictObject({
  pricing_option_id: Identifier,
  pricing_model: z.enum(Object.keys(MODELS) as (keyof typeof MODELS)[]),
  currency: Currency.optional(),
  description: Text.optional(),
  price: amount,
  fixed_price: amount,
  floor: amount,
  floor_price: amount,
  price_guidance: z.strictObject({ floor: amount, p25: amount, p50: amount, p75: amount, p90: amount }).optional(),
  min_spend: amount,
  min_spend_per_package: amount,
});
type Spelled = z.infer<typeof Spelled>;

/**
 * A pricing option as a catalog file may spell it: the wire's way, or the public protocol's `flat_rate`,
 * `fixed_price`, `floor_price`, `price_guidance.floor` and `min_spend_per_package` (rule B4). There, `cpm` with a
 * floor and no price is an auction. Reads to the wire's spelling, with `defaultCurrency` where none is named.
 */
export function pricingOptionEntry(defaultCurrency: string): z.ZodType<PricingOption> {
  return Spelled.transform((entry, context): PricingOption => {
    const problems: Problem[] = [];
    const option = normalize(entry, defaultCurrency, problems);
    for (const { path, message } of problems) context.issues.push({ code: 'custom', path, message, input: entry });
    return option;
  });
}

interface Problem {
  path: string[];
  message: string;
}

interface Spelling {
  path: string[];
  value: unknown;
}

function normalize(entry: Spelled, defaultCurrency: string, problems: Problem[]): PricingOption {
  const currency = entry.currency ?? defaultCurrency;
  const price = one(spellings(entry, 'price', 'fixed_price'), problems);
  const floor = one(
    [...spellings(entry, 'floor', 'floor_price'), spelling(entry.price_guidance?.floor, 'price_guidance', 'floor')],
    problems,
  );
  const min_spend = one(spellings(entry, 'min_spend', 'min_spend_per_package'), problems);
  const read = (from: Spelling, required: boolean) => exact(from, currency, required, problems);
  const unwanted = (from: Spelling, why: string) => {
    if (from.value !== undefined) problems.push({ path: from.path, message: why });
  };

  const named = MODELS[entry.pricing_model];
  const pricing_model =
    named === 'cpm' && floor.value !== undefined && price.value === undefined ? 'cpm-auction' : named;
  const shared = {
    pricing_option_id: entry.pricing_option_id,
    currency,
    ...(entry.description === undefined ? {} : { description: entry.description }),
  };
  const least = read(min_spend, false);
  const minimum = least === undefined ? {} : { min_spend: least };

  if (pricing_model === 'cpm-auction') {
    unwanted(price, 'an auction has a floor and no price');
    const guidance = guidanceOf(entry, currency, problems);
    return {
      ...shared,
      pricing_model,
      floor: read(floor, true) ?? 0,
      ...(guidance === undefined ? {} : { price_guidance: guidance }),
      ...minimum,
    };
  }
  unwanted(floor, 'a fixed price has no floor');
  if (pricing_model === 'cpm') return { ...shared, pricing_model, price: read(price, true) ?? 0, ...minimum };
  unwanted(min_spend, 'a flat fee is its own least spend');
  return { ...shared, pricing_model, price: read(price, true) ?? 0 };
}

function guidanceOf(entry: Spelled, currency: string, problems: Problem[]) {
  const percentiles = (['p25', 'p50', 'p75', 'p90'] as const).flatMap((name) => {
    const value = exact(spelling(entry.price_guidance?.[name], 'price_guidance', name), currency, false, problems);
    return value === undefined ? [] : [[name, value] as const];
  });
  return percentiles.length === 0 ? undefined : Object.fromEntries(percentiles);
}

function spellings(entry: Spelled, ...names: (keyof Spelled)[]): Spelling[] {
  return names.map((name) => spelling(entry[name], name));
}

function spelling(value: unknown, ...path: string[]): Spelling {
  return { path, value };
}

/** The one spelling that was used, or the first, unused; using two at once is a problem. */
function one(candidates: Spelling[], problems: Problem[]): Spelling {
  const used = candidates.filter(({ value }) => value !== undefined);
  const [first = candidates[0] ?? { path: [], value: undefined }, second] = used;
  if (second !== undefined) {
    problems.push({ path: second.path, message: `says the same as ${first.path.join('.')}; keep one of them` });
  }
  return first;
}

function exact(from: Spelling, currency: string, required: boolean, problems: Problem[]): number | undefined {
  if (from.value === undefined && !required) return undefined;
  const parsed = parseMoney(from.value, currency);
  if (!parsed.ok) problems.push({ path: from.path, message: parsed.reason });
  return parsed.ok ? (from.value as number) : undefined;
}
