import { minorDigitsOf } from './currency.ts';

/**
 * Exact money (rule B3, `docs/decisions/0007-money.md`). Inside the program an amount is an integer of minor units
 * (cents) beside its currency; a decimal JSON number exists only on the wire and in catalog files. No arithmetic is
 * ever done on the decimal form.
 */

/**
 * The largest amount, in minor units either side of zero: fifteen digits (just under ten trillion dollars). Every decimal of
 * up to fifteen significant digits survives the trip through a JSON number; with sixteen, neighbouring cents collide.
 */
export const MAX_MINOR = 999_999_999_999_999;

/** Which amounts are welcome: above zero, zero and above, or any sign (`budget_change`). */
export type Sign = 'positive' | 'non-negative' | 'any';

export type ParsedMoney = { ok: true; minor: number } | { ok: false; reason: string };

/**
 * Minor units of a decimal amount as JSON gave it, or why it is refused. Refused are strings, infinities (JSON reads 1e309
 * as one), amounts of the wrong sign, more decimals than the currency has, and amounts over {@link MAX_MINOR}; nothing
 * is ever rounded. Default: above zero.
 */
export function parseMoney(value: unknown, currency: string, sign: Sign = 'positive'): ParsedMoney {
  const digits = minorDigitsOf(currency);
  if (digits === undefined) return refused(`${currency} is not an ISO 4217 currency code`);
  if (value === undefined) return refused('is required');
  if (typeof value !== 'number') return refused(`must be a number, not ${kindOf(value)}`);
  if (!Number.isFinite(value)) return refused('must be a finite number');
  if (sign === 'positive' && value <= 0) return refused('must be greater than 0');
  if (sign === 'non-negative' && value < 0) return refused('must not be negative');
  const parsed = exactMinor(decimalOf(value), currency, digits, String(value));
  return parsed.ok && value < 0 ? { ok: true, minor: -parsed.minor } : parsed;
}

/**
 * Minor units of an amount in digits, with or without decimals (`49999.999`), as settings have it: zero and above, never by
 * way of a number. Refused as by {@link parseMoney}.
 */
export function parseMoneyText(text: string, currency: string): ParsedMoney {
  const digits = minorDigitsOf(currency);
  if (digits === undefined) return refused(`${currency} is not an ISO 4217 currency code`);
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === undefined) return refused('must be digits, with or without decimals, such as 50000');
  return exactMinor({ whole, fraction }, currency, digits, text);
}

/**
 * Minor units of an amount that has been checked before, such as a price of a loaded catalog.
 * @throws {RangeError} when it has not: a mistake in the program.
 */
export function minorOf(value: number, currency: string): number {
  const parsed = parseMoney(value, currency, 'any');
  if (!parsed.ok) throw new RangeError(`${value} ${currency} is not an exact amount: it ${parsed.reason}`);
  return parsed.minor;
}

/** The decimal JSON number of an amount in minor units: what {@link parseMoney} reads back as the same amount. */
export function formatMoney(minor: number, currency: string): number {
  return Number(formatMoneyText(minor, currency));
}

/** The amount in words' place: all its decimals, always (`1200.50`). For messages and logs. */
export function formatMoneyText(minor: number, currency: string): string {
  const digits = minorDigitsOf(currency);
  if (digits === undefined) throw new RangeError(`${currency} is not an ISO 4217 currency code`);
  const text = String(Math.abs(inRange(minor))).padStart(digits + 1, '0');
  const whole = text.slice(0, text.length - digits);
  return `${minor < 0 ? '-' : ''}${whole}${digits === 0 ? '' : `.${text.slice(-digits)}`}`;
}

/** The same for people: with its currency, thousands apart (`1,200.50 USD`). */
export function shownMoney(minor: number, currency: string): string {
  const [whole = '', ...decimals] = formatMoneyText(minor, currency).split('.');
  return `${[whole.replace(/\B(?=(\d{3})+$)/g, ','), ...decimals].join('.')} ${currency}`;
}

/** The same of a decimal, as answers have it; of what is no exact amount, the number as it is. */
export function shownAmount(amount: number, currency: string): string {
  const parsed = parseMoney(amount, currency, 'any');
  return parsed.ok ? shownMoney(parsed.minor, currency) : `${amount} ${currency}`;
}

/** The sum of amounts in minor units. @throws {RangeError} when it leaves the range. */
export function sumMinor(amounts: readonly number[]): number {
  return checked(amounts.reduce((sum, amount) => sum + BigInt(inRange(amount)), 0n));
}

/** What so many impressions cost at a price per thousand, both in minor units; half a minor unit goes to the even side. */
export function cpmCost(impressions: number, pricePerThousandMinor: number): number {
  return checked(divideHalfEven(BigInt(count(impressions)) * BigInt(inRange(pricePerThousandMinor)), 1000n));
}

/** What so many units cost at a price each, in minor units. @throws {RangeError} when it leaves the range. */
export function unitCost(units: number, priceMinor: number): number {
  return checked(BigInt(count(units)) * BigInt(inRange(priceMinor)));
}

/** What a thousand impressions cost on average, in minor units; half a minor unit goes to the even side. Above zero impressions. */
export function averageCpm(spendMinor: number, impressions: number): number {
  return checked(divideHalfEven(BigInt(inRange(spendMinor)) * 1000n, BigInt(count(impressions))));
}

/** How many whole impressions a budget buys at a price per thousand (above zero), both in minor units. */
export function impressionsFor(budgetMinor: number, pricePerThousandMinor: number): number {
  if (pricePerThousandMinor <= 0) throw new RangeError('a price per thousand must be greater than 0');
  const impressions = (BigInt(count(budgetMinor)) * 1000n) / BigInt(inRange(pricePerThousandMinor));
  if (impressions > BigInt(Number.MAX_SAFE_INTEGER)) throw new RangeError('more impressions than can be counted');
  return Number(impressions);
}

/**
 * Splits an amount by weights (whole numbers, not negative, at least one above zero). The slices sum to the amount
 * exactly: each is within one minor unit of its exact share, what it loses to rounding is carried to the slices after
 * it, and the last slice with weight settles the remainder. A slice without weight gets nothing.
 */
export function apportion(totalMinor: number, weights: readonly number[]): number[] {
  const total = BigInt(Math.abs(inRange(totalMinor)));
  const sum = weights.reduce((all, weight) => all + BigInt(count(weight)), 0n);
  if (sum === 0n) {
    if (totalMinor === 0) return weights.map(() => 0);
    throw new RangeError('an amount needs at least one weight above 0 to be split by');
  }
  let weightSoFar = 0n;
  let givenSoFar = 0n;
  return weights.map((weight) => {
    weightSoFar += BigInt(weight);
    const dueByNow = (total * weightSoFar) / sum;
    const slice = Number(dueByNow - givenSoFar);
    givenSoFar = dueByNow;
    return totalMinor < 0 && slice !== 0 ? -slice : slice;
  });
}

/** Nearest integer to a quotient, ties to even. The divisor is above zero. */
function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
  const negative = dividend < 0n;
  const magnitude = negative ? -dividend : dividend;
  const twiceRest = (magnitude % divisor) * 2n;
  const floor = magnitude / divisor;
  const up = twiceRest > divisor || (twiceRest === divisor && floor % 2n === 1n);
  const rounded = up ? floor + 1n : floor;
  return negative ? -rounded : rounded;
}

function exactMinor(
  { whole, fraction }: { whole: string; fraction: string },
  currency: string,
  digits: number,
  written: string,
): ParsedMoney {
  if (fraction.length > digits) {
    return refused(`must have at most ${digits} decimals in ${currency}, and ${written} has ${fraction.length}`);
  }
  const minor = BigInt(whole + fraction.padEnd(digits, '0'));
  if (minor > BigInt(MAX_MINOR)) return refused(`must be at most ${formatMoney(MAX_MINOR, currency)} ${currency}`);
  return { ok: true, minor: Number(minor) };
}

/** The shortest decimal that reads back as this number (ECMA-262 `Number::toString`), without sign and exponent. */
function decimalOf(value: number): { whole: string; fraction: string } {
  const [mantissa = '', exponent = '0'] = String(Math.abs(value)).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const point = whole.length + Number(exponent);
  const digits = whole + fraction;
  if (point <= 0) return { whole: '0', fraction: '0'.repeat(-point) + digits };
  return { whole: digits.slice(0, point).padEnd(point, '0'), fraction: digits.slice(point) };
}

function checked(minor: bigint): number {
  if (minor > BigInt(MAX_MINOR) || minor < -BigInt(MAX_MINOR)) throw new RangeError('an amount is out of range');
  return Number(minor);
}

function inRange(minor: number): number {
  if (!Number.isSafeInteger(minor) || Math.abs(minor) > MAX_MINOR) {
    throw new RangeError(`${minor} is not an amount in minor units`);
  }
  return minor;
}

function count(value: number): number {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${value} is not a count`);
  return value;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return 'text';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function refused(reason: string): ParsedMoney {
  return { ok: false, reason };
}
