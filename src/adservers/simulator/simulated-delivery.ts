import { createHash } from 'node:crypto';
import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import { DAY_MS, floorHour, HOUR_MS } from '../../platform/hours.ts';
import { cpmCost, impressionsFor } from '../../platform/money.ts';
import type { CorrectedHour, DeliveredHour } from './delivered-hour.ts';
import type { Instruction, LineTally, SimulatedLine, SimulatedOrder } from './simulated-order.ts';

/** How much of a day's audience is there in each hour of UTC: little at night, most in the evening. */
const AUDIENCE = [3, 2, 1, 1, 1, 2, 3, 4, 5, 5, 5, 6, 6, 6, 5, 5, 6, 7, 8, 9, 10, 9, 7, 5];
const AUDIENCE_OF_DAY = AUDIENCE.reduce((sum, share) => sum + share, 0);
/** What a flat fee is taken to buy, per thousand impressions in minor units. */
const FLAT_FEE_CPM_MINOR = 500;
/** Corrections of a noon hour come in this hour of the next day. */
const CORRECTION_HOUR = 6;
const NOON = 12;

export interface Simulated {
  tallies: LineTally[];
  hours: DeliveredHour[];
  corrections: CorrectedHour[];
}

/** What an order delivers from one instant to another, given what it had come to. Pure: the same whenever it is asked. */
export function simulate(
  order: Pick<SimulatedOrder, 'instructions' | 'trouble'>,
  from: { atMs: number; tallies: readonly LineTally[] },
  untilMs: number,
): Simulated {
  const tallies = new Map(from.tallies.map((tally) => [tally.package_id, { ...tally }]));
  const hours = new Map<string, DeliveredHour>();
  const corrections: CorrectedHour[] = [];
  const isCorrecting = order.trouble.includes('correct');
  for (let atMs = from.atMs; atMs < untilMs;) {
    const { instruction, nextMs } = instructionAt(order.instructions, atMs);
    const toMs = Math.min(untilMs, nextMs, floorHour(atMs) + HOUR_MS);
    if (isCorrecting && atMs % DAY_MS === CORRECTION_HOUR * HOUR_MS) {
      for (const tally of tallies.values()) corrections.push(...correctNoon(tally));
    }
    if (instruction !== undefined) deliverSpan(instruction, { fromMs: atMs, toMs }, tallies, hours);
    atMs = toMs;
  }
  return { tallies: [...tallies.values()], hours: [...hours.values()], corrections };
}

/** Whether a line has nothing left to spend. */
export function isSpent(line: SimulatedLine, tally: LineTally | undefined): boolean {
  return leftOf(line, rated(line, tally)) === 0;
}

interface Span {
  fromMs: number;
  toMs: number;
}

/** What holds at an instant, and when the next instruction begins to. */
function instructionAt(instructions: readonly Instruction[], atMs: number) {
  const index = instructions.findLastIndex(({ at }) => fromTimestamp(at) <= atMs);
  const next = instructions[index + 1];
  return { instruction: instructions[index], nextMs: next === undefined ? Infinity : fromTimestamp(next.at) };
}

function deliverSpan(
  { state, start_time, end_time, lines }: Instruction,
  span: Span,
  tallies: Map<string, LineTally>,
  hours: Map<string, DeliveredHour>,
): void {
  if (state !== 'running') return;
  for (const line of lines) {
    if (!line.is_serving) continue;
    const endMs = Math.min(fromTimestamp(end_time), fromTimestamp(line.end_time ?? end_time));
    const fromMs = Math.max(span.fromMs, fromTimestamp(start_time), fromTimestamp(line.start_time ?? start_time));
    const toMs = Math.min(span.toMs, endMs);
    if (fromMs >= toMs) continue;
    const tally = rated(line, tallies.get(line.package_id));
    tallies.set(line.package_id, tally);
    const gained = deliverLine(line, tally, { fromMs, toMs }, endMs);
    if (gained !== undefined) addHour(hours, tally, floorHour(fromMs), gained);
  }
}

/** The tally, with a new price taken over from here on. */
function rated({ package_id, rate_minor }: SimulatedLine, tally: LineTally | undefined): LineTally {
  if (tally?.rate_minor === rate_minor) return tally;
  const { impressions = 0, spend_minor = 0, clicks = 0, day } = tally ?? {};
  const base_minor = spend_minor;
  const sums = { package_id, impressions, spend_minor, clicks, ...(day !== undefined && { day }) };
  return { ...sums, rate_minor, base_minor, rated_impressions: 0, noon: null };
}

/** What is left: impressions that the budget still pays for, or minor units of a flat fee. */
function leftOf({ pricing_model, budget_minor, rate_minor }: SimulatedLine, tally: LineTally): number {
  if (pricing_model === 'flat-fee') return Math.max(0, Math.min(rate_minor, budget_minor) - tally.spend_minor);
  const leftMinor = Math.max(0, budget_minor - tally.base_minor);
  return Math.max(0, impressionsFor(leftMinor, Math.max(1, rate_minor)) - tally.rated_impressions);
}

/** Delivers a line's share of what is left over a span within one hour; answers what it gained, if anything. */
function deliverLine(line: SimulatedLine, tally: LineTally, { fromMs, toMs }: Span, endMs: number) {
  const left = leftOf(line, tally);
  const jitter = drawBetween(`${line.seed}/${fromMs}`, 85, 115);
  const paceEndMs = paceEnd(line, fromMs, endMs);
  const share =
    (BigInt(left) * BigInt(weightOf(fromMs, toMs)) * BigInt(jitter)) / BigInt(weightOf(fromMs, paceEndMs) * 100);
  const taken = withinDay(line, tally, fromMs, toMs === endMs ? left : Math.min(left, Number(share)));
  if (taken === 0) return undefined;
  const before = { ...tally };
  if (line.pricing_model === 'flat-fee') {
    tally.spend_minor += taken;
    tally.impressions += Math.floor((taken * 1000) / FLAT_FEE_CPM_MINOR);
  } else {
    tally.impressions += taken;
    tally.rated_impressions += taken;
    tally.spend_minor = tally.base_minor + cpmCost(tally.rated_impressions, tally.rate_minor);
  }
  tally.clicks += clicksBetween(line, before.impressions, tally.impressions);
  if (line.daily_cap_minor !== undefined) {
    const spent = spentOnDay(tally, fromMs) + tally.spend_minor - before.spend_minor;
    tally.day = { at: toTimestamp(floorDay(fromMs)), spend_minor: spent };
  }
  return {
    impressions: tally.impressions - before.impressions,
    spend_minor: tally.spend_minor - before.spend_minor,
    clicks: tally.clicks - before.clicks,
  };
}

/** Until when what is left is spread evenly: the flight's end, or sooner for a line that is to deliver sooner. */
function paceEnd({ pacing = 'even' }: SimulatedLine, fromMs: number, endMs: number): number {
  if (pacing === 'even') return endMs;
  const spreadMs = pacing === 'asap' ? DAY_MS : Math.max(DAY_MS, Math.floor((endMs - fromMs) / 2));
  return Math.min(endMs, fromMs + spreadMs);
}

/** What of a gain, in impressions or in minor units of a flat fee, the line's daily cap still lets through. */
function withinDay(line: SimulatedLine, tally: LineTally, fromMs: number, wanted: number): number {
  const { daily_cap_minor, rate_minor, pricing_model } = line;
  if (daily_cap_minor === undefined) return wanted;
  const leftMinor = Math.max(0, daily_cap_minor - spentOnDay(tally, fromMs));
  if (pricing_model === 'flat-fee') return Math.min(wanted, leftMinor);
  let taken = Math.min(wanted, rate_minor === 0 ? wanted : impressionsFor(leftMinor, rate_minor));
  // Rounding what all impressions cost together may cost a minor unit more than these by themselves.
  const costOf = (more: number) => tally.base_minor + cpmCost(tally.rated_impressions + more, rate_minor);
  while (taken > 0 && costOf(taken) - tally.spend_minor > leftMinor) taken -= 1;
  return taken;
}

function spentOnDay({ day }: LineTally, atMs: number): number {
  return day?.at === toTimestamp(floorDay(atMs)) ? day.spend_minor : 0;
}

function floorDay(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS;
}

/** From 5 to 30 clicks in ten thousand impressions, the same for a line throughout. */
function clicksBetween({ seed }: SimulatedLine, before: number, after: number): number {
  const rate = BigInt(drawBetween(`${seed}/clicks`, 5, 30));
  return Number((BigInt(after) * rate) / 10_000n - (BigInt(before) * rate) / 10_000n);
}

type Gain = Pick<DeliveredHour, 'impressions' | 'spend_minor' | 'clicks'>;

function addHour(hours: Map<string, DeliveredHour>, tally: LineTally, hourMs: number, gained: Gain): void {
  const hour = toTimestamp(hourMs);
  const { package_id } = tally;
  const known = hours.get(`${package_id}/${hour}`) ?? { package_id, hour, impressions: 0, spend_minor: 0, clicks: 0 };
  const sum = {
    package_id,
    hour,
    impressions: known.impressions + gained.impressions,
    spend_minor: known.spend_minor + gained.spend_minor,
    clicks: known.clicks + gained.clicks,
  };
  hours.set(`${package_id}/${hour}`, sum);
  if (hourMs % DAY_MS !== NOON * HOUR_MS) return;
  const { impressions, spend_minor, clicks } = sum;
  tally.noon = { hour, impressions, spend_minor, clicks };
}

/** Takes back a tenth of yesterday's noon, when what it cost can be told exactly. */
function correctNoon(tally: LineTally): CorrectedHour[] {
  const { noon, package_id } = tally;
  tally.noon = null;
  const fewer = Math.floor((noon?.impressions ?? 0) / 10);
  if (noon === null || fewer === 0 || fewer > tally.rated_impressions) return [];
  const rated_impressions = tally.rated_impressions - fewer;
  const spend_minor = tally.base_minor + cpmCost(rated_impressions, tally.rate_minor);
  const refund = tally.spend_minor - spend_minor;
  if (refund < 0 || refund > noon.spend_minor) return [];
  Object.assign(tally, { rated_impressions, spend_minor, impressions: tally.impressions - fewer });
  const { hour, clicks } = noon;
  return [
    {
      correction_id: `${package_id}/${hour}`,
      package_id,
      hour,
      impressions: noon.impressions - fewer,
      spend_minor: noon.spend_minor - refund,
      clicks,
    },
  ];
}

/** The audience between two instants, in shares times milliseconds. */
function weightOf(fromMs: number, toMs: number): number {
  return audienceBefore(toMs) - audienceBefore(fromMs);
}

/** The audience since the epoch: whole days, whole hours, and what there is of the last hour. */
function audienceBefore(ms: number): number {
  const days = Math.floor(ms / DAY_MS);
  const hourOfDay = Math.floor((ms % DAY_MS) / HOUR_MS);
  const wholeHours = AUDIENCE.slice(0, hourOfDay).reduce((sum, share) => sum + share, 0);
  const rest = (AUDIENCE[hourOfDay] ?? 0) * (ms % HOUR_MS);
  return (days * AUDIENCE_OF_DAY + wholeHours) * HOUR_MS + rest;
}

/** A whole number from `low` to `high`, both included: always the same for the same words. */
function drawBetween(words: string, low: number, high: number): number {
  const drawn = createHash('sha1').update(words).digest().readUInt32BE(0);
  return low + (drawn % (high - low + 1));
}
