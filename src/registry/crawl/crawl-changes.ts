import { mapInSlices } from '../../platform/in-slices.ts';
import { canonicalJson } from '../../platform/crypto/canonical-json.ts';
import type { Authorization } from '../../directory/authorization/authorization.ts';
import type { PublisherChange, RegistryProperty } from '../../directory/publisher/publisher.ts';

/** What became of named things between two looks. */
export interface Difference {
  added: string[];
  removed: string[];
  changed: string[];
}

/** Agents whose entries differ from what is held. Of a row of 0.1.0 only what it is for is known. */
export function agentChanges(
  held: readonly Authorization[],
  entries: readonly { url: string; authorized_for: string; entry_id: string }[],
): Difference {
  const [before, after] = [new Map<string, Authorization[]>(), new Map<string, typeof entries>()];
  for (const row of held) before.set(row.agent_url, [...(before.get(row.agent_url) ?? []), row]);
  for (const entry of entries) after.set(entry.url, [...(after.get(entry.url) ?? []), entry]);
  return differenceOf(before, after, (rows, now) => {
    const ids = new Set(now.map(({ entry_id }) => entry_id));
    const isSame = ({ entry_id, authorized_for }: Authorization) =>
      entry_id === undefined ? now.some((one) => one.authorized_for === authorized_for) : ids.has(entry_id);
    return rows.length === now.length && rows.every(isSame);
  });
}

/** Properties that differ, by id, or by name where there is none. Of long lists others have their turn in between. */
export async function propertyChanges(
  before: readonly RegistryProperty[],
  after: readonly RegistryProperty[],
): Promise<Difference> {
  return differenceOf(await textsByName(before), await textsByName(after), (a, b) => a === b);
}

export function isChange({ added, removed, changed }: Difference): boolean {
  return added.length + removed.length + changed.length > 0;
}

/** As the feed tells it: a bounded part of the names, and how many there are. */
export function publisherChange(number: number, agents: Difference, properties: Difference): PublisherChange {
  return { number, agents: listChange(agents), properties: listChange(properties) };
}

function differenceOf<A, B>(
  before: ReadonlyMap<string, A>,
  after: ReadonlyMap<string, B>,
  isSame: (a: A, b: B) => boolean,
): Difference {
  const difference: Difference = { added: [], removed: [], changed: [] };
  for (const [name, b] of after) {
    const a = before.get(name);
    if (a === undefined) difference.added.push(name);
    else if (!isSame(a, b)) difference.changed.push(name);
  }
  for (const name of before.keys()) if (!after.has(name)) difference.removed.push(name);
  return difference;
}

async function textsByName(properties: readonly RegistryProperty[]): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  await mapInSlices(properties, (property) => {
    const name = property.property_id ?? property.name;
    texts.set(name, `${texts.get(name) ?? ''}${canonicalJson(property)}`);
  });
  return texts;
}

const MAX_NAMES = 50;
/** In characters, of all names of one list. */
const MAX_LENGTH = 4_000;

function listChange({ added, removed, changed }: Difference) {
  return { added: named(added), removed: named(removed), changed: named(changed) };
}

function named(names: readonly string[]) {
  let left = MAX_LENGTH;
  const told = [...names]
    .sort()
    .slice(0, MAX_NAMES)
    .filter((name) => (left -= name.length) >= 0);
  return { count: names.length, names: told };
}
