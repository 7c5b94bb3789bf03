import { isObject } from '../platform/json-object.ts';
import type { JsonObject } from '../platform/json-object.ts';
import { nearest } from '../platform/nearest-name.ts';
import type { AdServer } from './ad-server/ad-server.ts';
import { Broken } from './ad-server/faults.ts';
import { INVENTORY_KIND } from './ad-server/inventory.ts';
import type { InventoryItem } from './ad-server/inventory.ts';

/** So many pages of inventory are read, and no more. */
const MAX_PAGES = 1000;
/** Of many items, this many are written out. */
const MAX_SHOWN = 10;

/** Inventory that a product's configuration names. */
export interface NamedInventory {
  /** Its place in the configuration, such as `.ad_unit_ids[0]`. */
  path: string;
  kind: string;
  native_id: string;
}

/** What of a configuration is the name of inventory, by the ad server's own schema of it. Pure. */
export function namedInventory(schema: unknown, config: unknown, path = ''): NamedInventory[] {
  if (!isObject(schema)) return [];
  const { [INVENTORY_KIND]: kind, properties, items } = schema;
  if (typeof config === 'string') return typeof kind === 'string' ? [{ path, kind, native_id: config }] : [];
  if (Array.isArray(config)) return config.flatMap((one, i) => namedInventory(items, one, `${path}[${i}]`));
  if (!isObject(config) || !isObject(properties)) return [];
  return Object.entries(properties).flatMap(([name, one]) => namedInventory(one, config[name], `${path}.${name}`));
}

/** What is wrong with inventory that is named, and what to do about it; undefined when it is there. Pure. */
export function inventoryProblem(
  { kind, native_id }: NamedInventory,
  inventory: readonly InventoryItem[],
): string | undefined {
  const items = inventory.filter((item) => item.kind === kind);
  const found = items.find((item) => item.native_id === native_id);
  if (found?.active === true) return undefined;
  if (found !== undefined) return `${kind} ${native_id} is not active at the ad server; name another, or activate it`;
  const active = items.filter((item) => item.active).map((item) => item.native_id);
  const near = nearest(native_id, active);
  const more = active.length > MAX_SHOWN ? ` and ${active.length - MAX_SHOWN} more` : '';
  const known = `name one of ${active.slice(0, MAX_SHOWN).join(', ')}${more}`;
  const remedy = near === undefined ? (active.length === 0 ? 'make it there' : known) : `did you mean ${near}?`;
  return `the ad server has no ${kind} ${native_id}; ${remedy}`;
}

/** All inventory of an ad server, page by page. @throws a fault of the ad server's, such as `Broken` for pages without an end. */
export async function allInventory(ask: NonNullable<AdServer['inventory']>): Promise<InventoryItem[]> {
  const items: InventoryItem[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer = await ask(cursor);
    items.push(...answer.items);
    if (answer.cursor === undefined) return items;
    cursor = answer.cursor;
  }
  throw new Broken(`the inventory has no end within ${MAX_PAGES} pages`);
}

/** Whether any of these configurations names inventory. Pure. */
export function nameInventory(schema: JsonObject, configs: Iterable<JsonObject>): boolean {
  return [...configs].some((config) => namedInventory(schema, config).length > 0);
}
