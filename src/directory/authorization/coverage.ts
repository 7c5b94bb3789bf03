import { normalizeHost } from '../domain/normalize-domain.ts';
import { indexOf, propertiesFor } from './property-index.ts';
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
  const selections = selectionsFor(scope, asked.publisher_domain, speaker);
  return selections.map((selection) => covered(selection, asked, speaker)).reduce(more, 'none');
}

/** What a scope selects of a publisher's: of any of it that is selected, the entry says something. */
export function selectionsFor(
  scope: EntryScope,
  publisherDomain: string,
  { is_manager }: Pick<Speaker, 'is_manager'>,
): readonly Selection[] {
  switch (scope.kind) {
    case 'signals':
    case 'unclear':
      return [];
    case 'own':
      return scope.selection.by === 'all' && is_manager ? [] : [scope.selection];
    case 'publishers':
      return scope.selections.get(publisherDomain) ?? [];
  }
}

const ORDER: readonly Coverage[] = ['none', 'unknown', 'some', 'all'];

function more(a: Coverage, b: Coverage): Coverage {
  return ORDER.indexOf(a) < ORDER.indexOf(b) ? b : a;
}

function covered(selection: Selection, asked: AskedInventory, speaker: Speaker): Coverage {
  const { property, publisher_domain } = asked;
  if (property === undefined) {
    if (selection.by === 'all') return 'all';
    return hasSelected(selection, publisher_domain, speaker) ? 'some' : 'unknown';
  }
  const meant = indexOf(propertiesFor(publisher_domain, speaker)).find(property);
  switch (selection.by) {
    case 'all':
      return meant.length > 0 || isHostOf(property, publisher_domain) ? 'all' : 'unknown';
    case 'inline':
      if (indexOf(inlineFor(selection, publisher_domain, speaker)).first(property) !== undefined) return 'all';
      return meant.length > 0 ? 'none' : 'unknown';
    case 'id':
    case 'tag':
      return share(meant, (one) => isSelected(selection, one));
  }
}

/** What an entry names of the publisher's by itself. */
export function inlineFor(
  { properties }: Extract<Selection, { by: 'inline' }>,
  publisherDomain: string,
  { is_manager }: Pick<Speaker, 'is_manager'>,
): readonly NamedProperty[] {
  return propertiesFor(publisherDomain, { properties, is_manager });
}

/** A list up to this long is looked through sooner than an index of it is made. */
const LOOKED_THROUGH = 50;

/** Whether a selection picks anything of the publisher's. */
function hasSelected(selection: Exclude<Selection, { by: 'all' }>, publisherDomain: string, speaker: Speaker): boolean {
  if (selection.by === 'inline') return inlineFor(selection, publisherDomain, speaker).length > 0;
  const theirs = propertiesFor(publisherDomain, speaker);
  if (theirs.length <= LOOKED_THROUGH) return theirs.some((one) => isSelected(selection, one));
  const index = indexOf(theirs);
  if (selection.by === 'id') return [...selection.ids].some((id) => index.byId(id).length > 0);
  return [...selection.tags].some((tag) => index.byTag(tag).length > 0);
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

/** Whether a name is the publisher's domain, or a host below it. */
export function isHostOf(name: string, publisherDomain: string): boolean {
  const host = normalizeHost(name);
  return host !== undefined && (host === publisherDomain || host.endsWith(`.${publisherDomain}`));
}
