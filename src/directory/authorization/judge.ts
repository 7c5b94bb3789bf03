import { preferHosted } from './authorization.ts';
import type { Authorization } from './authorization.ts';
import { coverageOf } from './coverage.ts';
import type { AskedInventory, Speaker } from './coverage.ts';
import { entryOf, overMs } from './published-entry.ts';
import type { PublishedEntry } from './published-entry.ts';

/** Why an agent may sell, or may not: every answer there is, in words. */
export const REASONS = {
  authorized: 'the publisher lets this agent sell it',
  authorized_in_part: 'the publisher lets this agent sell some of it; limited_by says by what it is limited',
  publisher_unknown:
    'the registry knows no such publisher; ask for a crawl of it, or, where an app or another property that is no domain is meant, name its publisher, too',
  agent_not_listed: 'neither the publisher nor a manager it names lists this agent',
  entry_unclear: 'the entry cannot be understood, so it covers nothing',
  signals_only: 'the entry is for signals, which lets nobody sell inventory',
  publisher_revoked: 'the file takes this publisher back, whatever its entries say',
  property_not_covered: 'the entry is for other properties',
  property_unknown: 'the file has no such property',
  revoked: 'the entry is revoked',
  expired: 'the entry is over',
  not_yet_valid: 'the entry has not begun',
  country_not_covered: 'the entry is for other countries',
  exclusive_to_another: 'another agent alone may sell it',
} as const;
export type VerdictCode = keyof typeof REASONS;

/** By what a yes is limited to some of what was asked. */
export const LIMITS = [
  'properties',
  'countries',
  'placement_ids',
  'placement_tags',
  'collections',
  'exclusive',
] as const;
export type Limit = (typeof LIMITS)[number];

/** May this agent sell this, in this country, at this time? */
export interface SaleQuestion extends AskedInventory {
  /** Canonical. */
  agent_url: string;
  /** Alpha-2, upper case; absent: anywhere. */
  country?: string | undefined;
  atMs: number;
}

/** Somebody who speaks for a publisher, and what is stored of that: at least the agent's entries and those that are exclusive. */
export interface Claims extends Speaker {
  /** Publishers that the file takes back. */
  revoked: readonly string[];
  rows: readonly Authorization[];
}

export interface Judgement {
  authorized: boolean;
  code: VerdictCode;
  limited_by: readonly Limit[];
  /** The entry that decides: of a yes the one that lets most, for longest; of a no the one that came nearest to it. */
  row?: Authorization;
  entry?: PublishedEntry;
  /** Of a yes: every entry that lets the agent sell at least some of it. */
  live: readonly Authorization[];
}

/** Decides by what was published, and by nothing else (rule R15.scope): the order of entries and files changes nothing. Pure. */
export function judge(asked: SaleQuestion, claims: readonly Claims[]): Judgement {
  return judgeAgents(asked, claims, [asked.agent_url]).get(asked.agent_url) ?? NOT_LISTED;
}

const NOT_LISTED: Judgement = { authorized: false, code: 'agent_not_listed', limited_by: [], live: [] };

/** The same of several agents, of those that have an entry: at the price of one. */
export function judgeAgents(
  asked: Omit<SaleQuestion, 'agent_url'>,
  claims: readonly Claims[],
  agents: readonly string[],
): Map<string, Judgement> {
  const { byAgent, exclusive } = rowsThatCount(asked.publisher_domain, claims);
  let rivals: Rivals | undefined;
  const judged = new Map<string, Judgement>();
  for (const agent of new Set(agents)) {
    const rows = byAgent.get(agent);
    if (rows === undefined) continue;
    const verdicts = rows.map((one) => {
      const verdict = verdictOn(one, asked);
      if (exclusive.length === 0 || !isYes(verdict.code) || standsByItself(verdict)) return verdict;
      rivals ??= rivalsAmong(exclusive.map((rival) => verdictOn(rival, asked)));
      return besideRivals(verdict, rivals);
    });
    judged.set(agent, judgementOf(verdicts));
  }
  return judged;
}

/** An entry, and the file that it is in. */
export interface SaidRow {
  row: Authorization;
  said: Claims;
  /** The file takes the publisher back, whatever its entries say. */
  isTakenBack: boolean;
}

/** Of what is said for a publisher what counts: of the publisher and each agent the operator's own entry alone, where there is one. */
interface CountingRows {
  byAgent: ReadonlyMap<string, readonly SaidRow[]>;
  exclusive: readonly SaidRow[];
}

const COUNTING = new WeakMap<readonly Claims[], Map<string, CountingRows>>();

/** Sorted out once for all questions about a publisher. */
export function rowsThatCount(publisherDomain: string, claims: readonly Claims[]): CountingRows {
  const known = COUNTING.get(claims) ?? new Map<string, CountingRows>();
  COUNTING.set(claims, known);
  const rows = known.get(publisherDomain) ?? sortOut(publisherDomain, claims);
  known.set(publisherDomain, rows);
  return rows;
}

function sortOut(publisherDomain: string, claims: readonly Claims[]): CountingRows {
  const all = claims.flatMap((said) => {
    const isRevoked = said.revoked.includes(publisherDomain);
    return preferHosted(said.rows).map((row) => ({ row, said, isTakenBack: isRevoked && row.source !== 'hosted' }));
  });
  const isOwn = ({ row }: SaidRow) => row.source === 'hosted' && row.publisher_domain === publisherDomain;
  const hosted = new Set(all.filter(isOwn).map(({ row }) => row.agent_url));
  const byAgent = new Map<string, SaidRow[]>();
  const exclusive: SaidRow[] = [];
  for (const one of all) {
    const { agent_url, is_exclusive } = one.row;
    if (hosted.has(agent_url) && !isOwn(one)) continue;
    const list = byAgent.get(agent_url);
    if (list === undefined) byAgent.set(agent_url, [one]);
    else list.push(one);
    if (is_exclusive === true) exclusive.push(one);
  }
  return { byAgent, exclusive };
}

/** The instants at which what an entry says becomes something else: of any question of it, nothing else of the time counts. */
export function timesOf(row: Authorization): readonly number[] {
  const { fromMs, untilMs, revokedMs } = entryOf(row);
  return [fromMs, untilMs, revokedMs];
}

function judgementOf(verdicts: Verdict[]): Judgement {
  const [best] = verdicts.sort(byPreference);
  if (best === undefined) return NOT_LISTED;
  const { row, entry, code, limited_by } = best;
  const live = verdicts.filter((one) => isYes(one.code)).map((one) => one.row);
  return { authorized: isYes(code), code, limited_by, row, entry, live };
}

interface Verdict {
  row: Authorization;
  entry: PublishedEntry;
  code: VerdictCode;
  limited_by: readonly Limit[];
}

function isYes(code: VerdictCode): boolean {
  return code === 'authorized' || code === 'authorized_in_part';
}

function verdictOn({ row, said, isTakenBack }: SaidRow, question: Omit<SaleQuestion, 'agent_url'>): Verdict {
  const entry = entryOf(row);
  const no = (code: VerdictCode): Verdict => ({ row, entry, code, limited_by: [] });
  if (entry.scope.kind === 'unclear') return no('entry_unclear');
  if (entry.scope.kind === 'signals') return no('signals_only');
  if (isTakenBack) return no('publisher_revoked');
  const coverage = coverageOf(entry.scope, question, said);
  if (coverage === 'none') return no('property_not_covered');
  if (coverage === 'unknown') return no('property_unknown');
  const outside = outsideOf(entry, question);
  if (outside !== undefined) return no(outside);
  const limited_by: Limit[] = [...(coverage === 'some' ? (['properties'] as const) : []), ...limitsOf(entry, question)];
  return { row, entry, code: limited_by.length === 0 ? 'authorized' : 'authorized_in_part', limited_by };
}

type TimeAndPlace = Pick<SaleQuestion, 'atMs' | 'country'>;

/** By what an entry is not for this time and country; undefined: it is. */
export function outsideOf(
  { revokedMs, untilMs, fromMs, countries }: PublishedEntry,
  { atMs, country }: TimeAndPlace,
): VerdictCode | undefined {
  if (revokedMs <= atMs) return 'revoked';
  if (untilMs <= atMs) return 'expired';
  if (fromMs > atMs) return 'not_yet_valid';
  if (countries?.length === 0) return 'country_not_covered';
  return country !== undefined && countries?.includes(country) === false ? 'country_not_covered' : undefined;
}

/** By what an entry is limited besides properties. */
export function limitsOf({ countries, parts }: PublishedEntry, { country }: Pick<TimeAndPlace, 'country'>): Limit[] {
  return [...(country === undefined && countries !== undefined ? (['countries'] as const) : []), ...parts];
}

/**
 * One who has it alone excludes the others from what is theirs. Two that say so of each other both stand: the file itself names
 * both. So does what the registry's operator entered.
 */
export function standsByItself({ row, entry }: Pick<Verdict, 'row' | 'entry'>): boolean {
  return entry.exclusive || row.source === 'hosted';
}

/** What becomes of a yes that does not stand by itself. */
function besideRivals(verdict: Verdict, rivals: Rivals): Verdict {
  const { row, entry, limited_by } = verdict;
  if (hasOther(rivals.ofAll, row.agent_url)) return { row, entry, code: 'exclusive_to_another', limited_by: [] };
  if (!hasOther(rivals.ofSome, row.agent_url)) return verdict;
  return { row, entry, code: 'authorized_in_part', limited_by: [...limited_by, 'exclusive'] };
}

/** Agents that have all of what is asked alone, or some of it. */
interface Rivals {
  ofAll: ReadonlySet<string>;
  ofSome: ReadonlySet<string>;
}

function rivalsAmong(verdicts: readonly Verdict[]): Rivals {
  const agentsWith = (wanted: VerdictCode) =>
    new Set(verdicts.filter(({ row, code }) => row.is_exclusive && code === wanted).map(({ row }) => row.agent_url));
  return { ofAll: agentsWith('authorized'), ofSome: agentsWith('authorized_in_part') };
}

function hasOther(agents: ReadonlySet<string>, agent: string): boolean {
  return agents.size > (agents.has(agent) ? 1 : 0);
}

/** The farther down, the nearer to a yes. */
const NEARNESS: readonly VerdictCode[] = [
  ...(['agent_not_listed', 'entry_unclear', 'signals_only', 'publisher_revoked', 'property_not_covered'] as const),
  ...(['property_unknown', 'revoked', 'expired', 'not_yet_valid', 'country_not_covered'] as const),
  ...(['exclusive_to_another', 'authorized_in_part', 'authorized'] as const),
];

function byPreference(a: Verdict, b: Verdict): number {
  const nearness = NEARNESS.indexOf(b.code) - NEARNESS.indexOf(a.code);
  if (nearness !== 0) return nearness;
  const [aMs, bMs] = [overMs(a.entry), overMs(b.entry)];
  if (aMs !== bMs) return aMs > bMs ? -1 : 1;
  return a.row.authorization_id < b.row.authorization_id ? -1 : 1;
}
