import { normalizeHost } from '../domain/normalize-domain.ts';
import { indexOf } from './property-index.ts';
import type { NamedProperty } from './property-index.ts';
import type { EntryScope, Selection } from './published-entry.ts';

/** What is asked about: something of one publisher's, or, without a property, anything of it. */
export interface AskedInventory {
  publisher_domain: string;
  /** A `property_id`, or what identifies it: a host, an app's bundle. */
  property?: string | undefined;
}

/** The file that speaks: the publisher's own (or the one that it points to), or its manager's. */
export interface Speaker {
  properties: readonly NamedProperty[];
  /** A manager speaks for another publisher only where it names it. */
  is_manager: boolean;
}

/** How much of what is asked a scope covers; `unknown`: none, for nobody says what it is. */
export type Coverage = 'all' | 'some' | 'none' | 'unknown';

/** How much of it the scope of an entry covers. Pure. */
export function coverageOf(scope: EntryScope, asked: AskedInventory, speaker: Speaker): Coverage {
  switch (scope.kind) {
    case 'signals':
    case 'unclear':
      return 'none';
    case 'own':
      return scope.selection.by === 'all' && speaker.is_manager ? 'none' : covered(scope.selection, asked, speaker);
    case 'publishers': {
      const selections = scope.selections.get(asked.publisher_domain) ?? [];
      return selections.map((selection) => covered(selection, asked, speaker)).reduce(more, 'none');
    }
  }
}

const ORDER: readonly Coverage[] = ['none', 'unknown', 'some', 'all'];

function more(a: Coverage, b: Coverage): Coverage {
  return ORDER.indexOf(a) < ORDER.indexOf(b) ? b : a;
}

function covered(selection: Selection, asked: AskedInventory, { properties, is_manager }: Speaker): Coverage {
  const { property, publisher_domain } = asked;
  const isOf = (one: NamedProperty) =>
    one.publisher_domain === undefined ? !is_manager : one.publisher_domain === publisher_domain;
  if (property === undefined) {
    if (selection.by === 'all') return 'all';
    return hasSelected(selection, properties, isOf) ? 'some' : 'unknown';
  }
  const meant = indexOf(properties).find(property).filter(isOf);
  switch (selection.by) {
    case 'all':
      return meant.length > 0 || isHostOf(property, publisher_domain) ? 'all' : 'unknown';
    case 'inline':
      if (indexOf(selection.properties).find(property).some(isOf)) return 'all';
      return meant.length > 0 ? 'none' : 'unknown';
    case 'id':
    case 'tag':
      return share(meant, (one) => isSelected(selection, one));
  }
}

/** A list up to this long is looked through sooner than an index of it is made. */
const LOOKED_THROUGH = 50;

/** Whether a selection picks anything of a file that is meant. */
function hasSelected(
  selection: Exclude<Selection, { by: 'all' }>,
  properties: readonly NamedProperty[],
  isMeant: (one: NamedProperty) => boolean,
): boolean {
  if (selection.by === 'inline') return selection.properties.some(isMeant);
  if (properties.length <= LOOKED_THROUGH) return properties.some((one) => isSelected(selection, one) && isMeant(one));
  const index = indexOf(properties);
  if (selection.by === 'id') return [...selection.ids].some((id) => index.byId(id).some(isMeant));
  return [...selection.tags].some((tag) => index.byTag(tag).some(isMeant));
}

function isSelected(
  selection: Extract<Selection, { by: 'id' | 'tag' }>,
  { property_id, tags }: NamedProperty,
): boolean {
  if (selection.by === 'tag') return tags.some((tag) => selection.tags.has(tag));
  return property_id !== undefined && selection.ids.has(property_id);
}

function share(meant: readonly NamedProperty[], isCovered: (one: NamedProperty) => boolean): Coverage {
  if (meant.length === 0) return 'unknown';
  const count = meant.filter(isCovered).length;
  return count === 0 ? 'none' : count === meant.length ? 'all' : 'some';
}

function isHostOf(name: string, publisherDomain: string): boolean {
  const host = normalizeHost(name);
  return host !== undefined && (host === publisherDomain || host.endsWith(`.${publisherDomain}`));
}
