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
    return selectedIn(selection, properties).some(isOf) ? 'some' : 'unknown';
  }
  const meant = indexOf(properties).find(property).filter(isOf);
  switch (selection.by) {
    case 'all':
      return meant.length > 0 || isHostOf(property, publisher_domain) ? 'all' : 'unknown';
    case 'inline':
      if (indexOf(selection.properties).find(property).some(isOf)) return 'all';
      return meant.length > 0 ? 'none' : 'unknown';
    case 'id':
      return share(meant, ({ property_id }) => property_id !== undefined && selection.ids.has(property_id));
    case 'tag':
      return share(meant, ({ tags }) => tags.some((tag) => selection.tags.has(tag)));
  }
}

/** What a selection picks of a file, whosever it is. */
function selectedIn(
  selection: Exclude<Selection, { by: 'all' }>,
  properties: readonly NamedProperty[],
): readonly NamedProperty[] {
  switch (selection.by) {
    case 'inline':
      return selection.properties;
    case 'id':
      return [...selection.ids].flatMap((id) => indexOf(properties).byId(id));
    case 'tag':
      return [...selection.tags].flatMap((tag) => indexOf(properties).byTag(tag));
  }
}

function share(meant: readonly NamedProperty[], isSelected: (one: NamedProperty) => boolean): Coverage {
  if (meant.length === 0) return 'unknown';
  const count = meant.filter(isSelected).length;
  return count === 0 ? 'none' : count === meant.length ? 'all' : 'some';
}

function isHostOf(name: string, publisherDomain: string): boolean {
  const host = normalizeHost(name);
  return host !== undefined && (host === publisherDomain || host.endsWith(`.${publisherDomain}`));
}
