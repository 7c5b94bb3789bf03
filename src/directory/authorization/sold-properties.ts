import { inlineFor, isHostOf, selectionsFor } from './coverage.ts';
import type { PublisherClaims } from './find-claims.ts';
import { limitsOf, outsideOf, rowsThatCount, standsByItself } from './judge.ts';
import type { Claims, SaidRow } from './judge.ts';
import { indexOf, propertiesFor } from './property-index.ts';
import type { NamedProperty } from './property-index.ts';
import { entryOf } from './published-entry.ts';

/**
 * Which properties of a publisher an agent may sell at a time, all of them and somewhere at least, by their names: as `judge` has it of each,
 * but of several that one name means the first counts. Entries are gone through once, and so are properties: a question costs what a
 * property's own tags do, however many entries and properties there are. Pure.
 */
export function soldOf(
  { publisher_domain, claims }: PublisherClaims,
  agent_url: string,
  atMs: number,
): (name: string) => boolean {
  const { byAgent, exclusive } = rowsThatCount(publisher_domain, claims);
  const live = (byAgent.get(agent_url) ?? []).filter((one) => isLive(one, atMs));
  const stands = (one: SaidRow) => standsByItself({ row: one.row, entry: entryOf(one.row) });
  const isWhole = ({ row }: SaidRow) => limitsOf(entryOf(row), {}).length === 0;
  const rivals = exclusive.filter((one) => one.row.agent_url !== agent_url && isLive(one, atMs) && isWhole(one));
  const coveredBy = (rows: readonly SaidRow[]) => covering(rows, publisher_domain);
  const [standing, others, taken] = [
    coveredBy(live.filter(stands)),
    coveredBy(live.filter((one) => !stands(one))),
    coveredBy(rivals),
  ];
  return (name) => standing(name) || (others(name) && !taken(name));
}

function isLive({ row, isTakenBack }: SaidRow, atMs: number): boolean {
  return !isTakenBack && outsideOf(entryOf(row), { atMs }) === undefined;
}

/** What entries of one file select of a publisher's, put together. */
interface Selected {
  all: boolean;
  ids: Set<string>;
  tags: Set<string>;
  inline: NamedProperty[];
}

/** Whether any of these entries covers what a name means. */
function covering(rows: readonly SaidRow[], publisherDomain: string): (name: string) => boolean {
  const bySpeaker = new Map<Claims, Selected>();
  for (const { row, said } of rows) {
    const selected = bySpeaker.get(said) ?? { all: false, ids: new Set(), tags: new Set(), inline: [] };
    bySpeaker.set(said, selected);
    for (const selection of selectionsFor(entryOf(row).scope, publisherDomain, said)) {
      if (selection.by === 'all') selected.all = true;
      else if (selection.by === 'id') for (const id of selection.ids) selected.ids.add(id);
      else if (selection.by === 'tag') for (const tag of selection.tags) selected.tags.add(tag);
      else for (const one of inlineFor(selection, publisherDomain, said)) selected.inline.push(one);
    }
  }
  return (name) =>
    [...bySpeaker].some(([said, { all, ids, tags, inline }]) => {
      const one = indexOf(propertiesFor(publisherDomain, said)).first(name);
      if (all && (one !== undefined || isHostOf(name, publisherDomain))) return true;
      if (one?.property_id !== undefined && ids.has(one.property_id)) return true;
      return one?.tags.some((tag) => tags.has(tag)) === true || indexOf(inline).first(name) !== undefined;
    });
}
