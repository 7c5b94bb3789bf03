import type { Store } from '../../platform/store/collection.ts';
import { allPropertiesOf } from './property-list.ts';
import type { RegistryProperty, RegistryPublisher } from './publisher.ts';

/** Properties of long lists that are in memory at once: as many as two of the longest have. */
const MOST_HELD = 40_000;

/**
 * Reads publishers' properties, and holds those of long lists for who is asked about next, as a manager's: up to `most` of them, besides
 * those of the publisher in hand. What was read longest ago is let go first. Lists that stand in a row are held by the row.
 */
export function heldLists(store: Store, most = MOST_HELD) {
  const held = new Map<string, readonly RegistryProperty[]>();
  let count = 0;
  return async (publisher: RegistryPublisher): Promise<readonly RegistryProperty[]> => {
    const { publisher_domain, properties, property_list } = publisher;
    if (property_list == null) return properties;
    const known = held.get(publisher_domain);
    if (known !== undefined) return known;
    for (const [domain, list] of held) {
      if (count + property_list.count <= most) break;
      held.delete(domain);
      count -= list.length;
    }
    const list = await allPropertiesOf(store, publisher);
    held.set(publisher_domain, list);
    count += list.length;
    return list;
  };
}
