import { z } from 'zod';
import { isObject } from '../../platform/json-object.ts';
import { normalizeDomain } from '../domain/normalize-domain.ts';
import type { Authorization } from './authorization.ts';
import type { NamedProperty } from './property-index.ts';

/** Which properties of one publisher. */
export type Selection =
  | { by: 'all' }
  | { by: 'id'; ids: ReadonlySet<string> }
  | { by: 'tag'; tags: ReadonlySet<string> }
  | { by: 'inline'; properties: readonly NamedProperty[] };

/** What an entry covers. */
export type EntryScope =
  | { kind: 'own'; selection: Selection }
  /** Of the publishers it names, by rule R1. */
  | { kind: 'publishers'; selections: ReadonlyMap<string, readonly Selection[]> }
  | { kind: 'signals' }
  /** Not to be understood: it covers nothing. */
  | { kind: 'unclear'; why: string };

/** One entry of `authorized_agents`, as far as a judgement needs it. Times in milliseconds, from inclusive, until exclusive. */
export interface PublishedEntry {
  /** As published; absent where the entry has no such member. */
  authorization_type?: string;
  scope: EntryScope;
  fromMs: number;
  untilMs: number;
  /** It says so itself; from then on. */
  revokedMs: number;
  /** Alpha-2, upper case; undefined: everywhere. */
  countries: readonly string[] | undefined;
  delegation_type?: string;
  exclusive: boolean;
  /** It covers only some of what runs on a property, by these members. */
  parts: readonly (typeof PARTS)[number][];
}

const PARTS = ['placement_ids', 'placement_tags', 'collections'] as const;

/** What a row of the operator's own, or of 0.1.0, says: everything, always, everywhere. */
const EVERYTHING: PublishedEntry = {
  scope: { kind: 'own', selection: { by: 'all' } },
  ...{ fromMs: -Infinity, untilMs: Infinity, revokedMs: Infinity, countries: undefined, exclusive: false, parts: [] },
};

const READ = new WeakMap<object, PublishedEntry>();

/** What a stored row says, read once of each. What cannot be understood covers nothing. */
export function entryOf(row: Pick<Authorization, 'entry_json'>): PublishedEntry {
  if (row.entry_json === undefined) return EVERYTHING;
  const known = READ.get(row);
  if (known !== undefined) return known;
  const read = readEntry(JSON.parse(row.entry_json) as unknown);
  READ.set(row, read);
  return read;
}

/** The first instant at which an entry counts no more, in milliseconds: it is over, or revoked from then on. */
export function overMs({ untilMs, revokedMs }: Pick<PublishedEntry, 'untilMs' | 'revokedMs'>): number {
  return Math.min(untilMs, revokedMs);
}

/** What an entry says, by the public schema of adagents.json; a member that is null is absent. */
export function readEntry(raw: unknown): PublishedEntry {
  if (!isObject(raw)) return { ...EVERYTHING, scope: unclear('the entry is no object') };
  const entry = Object.values(raw).includes(null)
    ? Object.fromEntries(Object.entries(raw).filter(([, value]) => value !== null))
    : raw;
  const from = timeAsPublished(entry['effective_from'], -Infinity);
  const until = [timeAsPublished(entry['effective_until'], Infinity), timeAsPublished(entry['valid_until'], Infinity)];
  const times = [from, ...until];
  const { authorization_type, delegation_type } = entry;
  const countries = entry['countries'] === undefined ? undefined : textsOf(entry['countries']);
  // A look-up reads hundreds of these: without spreading, at a fraction of the price.
  const read: PublishedEntry = {
    scope: times.some(Number.isNaN) ? unclear('it has a time that is none') : scopeOf(entry),
    fromMs: from,
    untilMs: Math.min(...until),
    revokedMs: revokedOf(entry),
    countries: countries?.map((country) => country.toUpperCase()),
    exclusive: entry['exclusive'] === true,
    parts: PARTS.filter((name) => entry[name] !== undefined),
  };
  if (typeof authorization_type === 'string') read.authorization_type = authorization_type;
  if (typeof delegation_type === 'string') read.delegation_type = delegation_type;
  return read;
}

type Members = Readonly<Record<string, unknown>>;

/** The members that say what an entry covers, each under the type that goes with it. */
const SCOPES: Record<string, (entry: Members) => EntryScope> = {
  property_ids: (entry) => ownBy('property_ids', entry, (ids) => ({ by: 'id', ids: new Set(ids) })),
  property_tags: (entry) => ownBy('property_tags', entry, (tags) => ({ by: 'tag', tags: new Set(tags) })),
  inline_properties: (entry) => inline(entry['properties'] ?? entry['inline_properties']),
  publisher_properties: ({ publisher_properties }) => ofPublishers(publisher_properties),
  signal_ids: () => ({ kind: 'signals' }),
  signal_tags: () => ({ kind: 'signals' }),
};

/** By its type; without one, by the one member that there is. An entry of the first form of the schema has none: it covers all. */
function scopeOf(entry: Members): EntryScope {
  const type = entry['authorization_type'];
  if (type !== undefined) {
    const read = typeof type === 'string' && Object.hasOwn(SCOPES, type) ? SCOPES[type] : undefined;
    return read?.(entry) ?? unclear('its authorization_type is none that is known');
  }
  const told = Object.keys(SCOPES).filter((name) => entry[name] !== undefined);
  if (entry['properties'] !== undefined && !told.includes('inline_properties')) told.push('inline_properties');
  if (told.length > 1) return unclear('it has several scopes and no authorization_type');
  const [only] = told;
  if (only !== undefined) return SCOPES[only]?.(entry) ?? unclear('its scope is not known');
  const { authorized_for } = entry;
  return typeof authorized_for === 'string' && authorized_for.trim() !== ''
    ? { kind: 'own', selection: { by: 'all' } }
    : unclear('it says neither what for nor what of');
}

function ownBy(name: string, entry: Members, select: (list: string[]) => Selection): EntryScope {
  const list = textsOf(entry[name]);
  return list.length === 0 ? unclear(`it has no list ${name}`) : { kind: 'own', selection: select(list) };
}

function inline(value: unknown): EntryScope {
  const properties = Array.isArray(value) ? value.flatMap((item) => propertyOf(item) ?? []) : [];
  return properties.length === 0
    ? unclear('it has no list properties')
    : { kind: 'own', selection: { by: 'inline', properties } };
}

const InlineProperty = z.object({
  property_id: z.string().optional().catch(undefined),
  identifiers: z.array(z.object({ type: z.string(), value: z.string() })).catch([]),
  tags: z.array(z.string()).catch([]),
  publisher_domain: z.string().optional(),
});

function propertyOf(item: unknown): NamedProperty | undefined {
  const read = InlineProperty.safeParse(item).data;
  if (read?.publisher_domain === undefined) return read;
  const publisher_domain = normalizeDomain(read.publisher_domain)?.domain;
  return publisher_domain === undefined ? undefined : { ...read, publisher_domain };
}

function ofPublishers(value: unknown): EntryScope {
  const selections = new Map<string, Selection[]>();
  for (const { publisher_domain, selection } of Array.isArray(value)
    ? value.filter(isObject).flatMap(selectionsOf)
    : []) {
    const known = selections.get(publisher_domain);
    // Into the list that there is: anybody may name one publisher a hundred thousand times.
    if (known === undefined) selections.set(publisher_domain, [selection]);
    else known.push(selection);
  }
  return selections.size === 0 ? unclear('it has no list publisher_properties') : { kind: 'publishers', selections };
}

/** The compact form names many publishers in one selector, and means one for each of them; naming them both ways means nothing. */
function selectionsOf(selector: Members): { publisher_domain: string; selection: Selection }[] {
  const { publisher_domain: one, publisher_domains: many } = selector;
  if (one !== undefined && many !== undefined) return [];
  const selection = selectionOf(selector, many !== undefined);
  if (selection === undefined) return [];
  const names = one === undefined ? textsOf(many) : typeof one === 'string' ? [one] : [];
  return names.flatMap((name) => {
    const publisher_domain = normalizeDomain(name)?.domain;
    return publisher_domain === undefined ? [] : [{ publisher_domain, selection }];
  });
}

/** Ids mean something in the file of one publisher, so the compact form has none. */
function selectionOf(selector: Members, isCompact: boolean): Selection | undefined {
  const ids = textsOf(selector['property_ids']);
  const tags = textsOf(selector['property_tags']);
  const type = selector['selection_type'] ?? (ids.length > 0 ? 'by_id' : tags.length > 0 ? 'by_tag' : undefined);
  if (type === 'all') return { by: 'all' };
  if (type === 'by_id' && ids.length > 0 && !isCompact) return { by: 'id', ids: new Set(ids) };
  if (type === 'by_tag' && tags.length > 0) return { by: 'tag', tags: new Set(tags) };
  return undefined;
}

/** `revoked`, or `revoked_at`; one that is no time is taken for: always. */
function revokedOf({ revoked, revoked_at }: Members): number {
  if (revoked === true) return -Infinity;
  const time = timeAsPublished(revoked_at, Infinity);
  return Number.isNaN(time) ? -Infinity : time;
}

const DATE_TIME = /^\d{4}-\d{2}-\d{2}(?:[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(Z|z|[+-]\d{2}:?\d{2})?)?$/;

/** In milliseconds; without an offset in UTC, and a day is its beginning. NaN for what is no time, such as 30 February. */
export function timeAsPublished(value: unknown, absent: number): number {
  if (value === undefined) return absent;
  const [text, offset] = (typeof value === 'string' ? DATE_TIME.exec(value) : null) ?? [];
  if (text === undefined || !isDay(text.slice(0, 10))) return NaN;
  return Date.parse(text.length === 10 || offset !== undefined ? text : `${text}Z`);
}

/** `Date.parse` takes days that a month does not have for those of the next. */
function isDay(day: string): boolean {
  return day.slice(8) <= '28' || new Date(day).getUTCDate() === Number(day.slice(8));
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

function unclear(why: string): EntryScope {
  return { kind: 'unclear', why };
}
