import type { Store } from '../../platform/store/collection.ts';
import { allPropertiesOf, propertiesLength } from './property-list.ts';
import type { RegistryProperty, RegistryPublisher } from './publisher.ts';

/** Of long lists that are in memory at once, in characters of JSON: as many as two of the longest have, or 32 pages. */
const MOST_HELD = 8_000_000;

interface HeldList {
  properties: readonly RegistryProperty[];
  length: number;
}

/**
 * Reads publishers' properties, and holds those of long lists for who is asked about next, as a manager's: up to `most` characters of them,
 * besides those of the publisher in hand. What was read longest ago is let go first. Lists that stand in a row are held by the row.
 */
export function heldLists(store: Store, most = MOST_HELD) {
  const held = new Map<string, HeldList>();
  let total = 0;
  return async (publisher: RegistryPublisher): Promise<readonly RegistryProperty[]> => {
    const { publisher_domain, properties, property_list } = publisher;
    if (property_list == null) return properties;
    const known = held.get(publisher_domain);
    if (known !== undefined) return known.properties;
    const length = propertiesLength(publisher);
    for (const [domain, list] of held) {
      if (total + length <= most) break;
      held.delete(domain);
      total -= list.length;
    }
    const list = { properties: await allPropertiesOf(store, publisher), length };
    held.set(publisher_domain, list);
    total += length;
    return list.properties;
  };
}
