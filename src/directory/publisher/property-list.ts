import { createHash, randomUUID } from 'node:crypto';
import { allRows } from '../../platform/store/all-rows.ts';
import type { Store } from '../../platform/store/collection.ts';
import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import { mapInSlices } from '../../platform/in-slices.ts';
import { pageId, propertyPages } from './property-page.ts';
import { publishers } from './publisher.ts';
import type { PropertyList, RegistryProperty, RegistryPublisher } from './publisher.ts';

/** A list within both stands in the publisher's row itself: reading that keeps nobody waiting. Length in characters of JSON. */
const MOST_IN_ROW = { properties: 5_000, length: 250_000 } as const;
/** Of one page; one property may be longer, and has a page of its own then. */
const MOST_IN_PAGE = { properties: 1_000, length: 250_000 } as const;
/** A list that no row names is somebody's who is writing it, or died of it; after this long the latter. In milliseconds. */
const ABANDONED_MS = 3_600_000;
/** How often a list that is replaced while it is read is read anew. */
const TRIES = 10;

/** The fields of a publisher's row that hold its properties. */
export type HeldProperties = Pick<RegistryPublisher, 'properties' | 'property_list'>;

/** How many properties a publisher has. */
export function propertiesCount({ properties, property_list }: HeldProperties): number {
  return property_list?.count ?? properties.length;
}

/** How long a publisher's properties are at most, in characters of JSON, as its row says. */
export function propertiesLength({ property_list }: HeldProperties): number {
  return property_list == null
    ? MOST_IN_ROW.length
    : (property_list.length ?? property_list.pages * MOST_IN_PAGE.length);
}

/** A digest of a publisher's properties: the same for the same list, wherever it stands. */
export function propertiesDigest({ properties, property_list }: HeldProperties): string {
  return property_list?.digest ?? createHash('sha256').update(JSON.stringify(properties)).digest('hex');
}

/**
 * All properties of a publisher, as its row said when it was read or later. Of a long list others have their turn in between.
 * @throws {Error} for a list whose pages are gone though the row names it.
 */
export async function allPropertiesOf(
  store: Store,
  publisher: RegistryPublisher,
): Promise<readonly RegistryProperty[]> {
  let row: RegistryPublisher | undefined = publisher;
  for (let i = 0; i < TRIES && row !== undefined; i++) {
    const list: PropertyList | null = row.property_list ?? null;
    if (list === null) return row.properties;
    const properties = await readPages(store, list);
    if (properties !== undefined) return properties;
    row = await store.collection(publishers).get(publisher.publisher_domain);
  }
  if (row === undefined) return [];
  throw new Error(`the properties of ${publisher.publisher_domain} are not there: its list has lost a page`);
}

/** The first properties of a publisher, of a long list those of its first page: none where that is replaced meanwhile. */
export async function firstPropertiesOf(
  store: Store,
  { properties, property_list }: HeldProperties,
  most: number,
): Promise<readonly RegistryProperty[]> {
  if (property_list == null) return properties.slice(0, most);
  const page = await store.collection(propertyPages).get(pageId(property_list.list_id, 0));
  return page?.properties.slice(0, most) ?? [];
}

/**
 * Puts a list where a publisher's row can name it: a long one on pages of its own, which count for nothing until the answer
 * stands in the row. The list that the row has already is not written again.
 */
export async function keepProperties(
  { store, nowMs }: { store: Store; nowMs: number },
  publisherDomain: string,
  properties: readonly RegistryProperty[],
  present: HeldProperties | undefined,
): Promise<HeldProperties> {
  let length = 0;
  const digest = createHash('sha256').update('[');
  const lengths = await mapInSlices(properties, (property, i) => {
    const text = JSON.stringify(property);
    digest.update(i === 0 ? text : `,${text}`);
    length += text.length;
    return text.length;
  });
  if (properties.length <= MOST_IN_ROW.properties && length <= MOST_IN_ROW.length)
    return { properties: [...properties], property_list: null };
  const list = { digest: digest.update(']').digest('hex'), count: properties.length };
  const known = present?.property_list;
  if (known?.digest === list.digest) return { properties: [], property_list: { ...known, length } };
  const list_id = randomUUID();
  const parts = partsOf(properties, lengths);
  for (const [number, part] of parts.entries())
    await store.collection(propertyPages).insert({
      ...{ page_id: pageId(list_id, number), publisher_domain: publisherDomain, list_id, number, properties: part },
      ...{ created_at: toTimestamp(nowMs), revision: 1 },
    });
  return { properties: [], property_list: { list_id, pages: parts.length, length, ...list } };
}

/**
 * Removes the list that a row named before, and what was never named: by who has put another in its place. The pages of the list that
 * is named are not read.
 */
export async function dropOtherLists(
  { store, nowMs }: { store: Store; nowMs: number },
  publisherDomain: string,
  replaced: PropertyList | null | undefined,
): Promise<void> {
  const rows = store.collection(propertyPages);
  const gone: string[] = [];
  const named = (await store.collection(publishers).get(publisherDomain))?.property_list?.list_id;
  for (const list of otherLists(named))
    for await (const page of allRows(rows, { where: { publisher_domain: publisherDomain, ...list }, limit: 1 }))
      if (page.list_id === replaced?.list_id || isAbandoned(page, nowMs)) gone.push(page.page_id);
  for (const page of gone) await rows.delete(page);
}

/** Of rows by their list: all but those of the one that is named, by an index. */
export function otherLists(named: string | undefined) {
  return named === undefined ? [{ list_id: { gt: '' } }] : [{ list_id: { lt: named } }, { list_id: { gt: named } }];
}

/** Whether who was writing this part of a list has died of it, where no row names the list. */
export function isAbandoned({ created_at }: { created_at: string }, nowMs: number): boolean {
  return nowMs - fromTimestamp(created_at) > ABANDONED_MS;
}

/** Undefined where pages are missing: the list has been replaced. */
async function readPages(store: Store, { list_id, pages }: PropertyList): Promise<RegistryProperty[] | undefined> {
  const properties: RegistryProperty[] = [];
  for (let number = 0; number < pages; number++) {
    const page = await store.collection(propertyPages).get(pageId(list_id, number));
    if (page === undefined) return undefined;
    properties.push(...page.properties);
    await new Promise(setImmediate);
  }
  return properties;
}

function partsOf(properties: readonly RegistryProperty[], lengths: readonly number[]): RegistryProperty[][] {
  const parts: RegistryProperty[][] = [];
  let length = Infinity;
  for (const [i, property] of properties.entries()) {
    const part = parts.at(-1);
    length += lengths[i] ?? 0;
    if (part === undefined || part.length === MOST_IN_PAGE.properties || length > MOST_IN_PAGE.length) {
      parts.push([property]);
      length = lengths[i] ?? 0;
    } else part.push(property);
  }
  return parts;
}
