import type { Collection } from '../../platform/store/collection.ts';
import type { Creative } from '../../sales/creative/creative.ts';
import type { LibraryOwner } from '../../sales/creative/creative-library.ts';
import { creativeRef } from '../../sales/creative/creative-ref.ts';
import { creativeUses } from '../../sales/creative/uses.ts';
import { formatKey } from '../../sales/format/format.ts';
import type { MediaBuy } from '../../sales/media-buy/media-buy.ts';
import { instantRange } from '../instant-range.ts';
import type { CreativeFilters } from './schema.ts';

/** Whether a creative meets what no index knows of it. */
export type Passes = (creative: Creative) => boolean;

/** The filters that each creative is looked at for; undefined where none of them is asked for. */
export async function passesOf(
  mediaBuys: Collection<MediaBuy>,
  owner: LibraryOwner,
  filters: CreativeFilters,
): Promise<Passes | undefined> {
  const { tags = [], tags_any = [], format_ids = [], name_contains, unassigned } = filters;
  const changed = instantRange({ gt: filters.updated_after, lt: filters.updated_before });
  const all: Passes[] = [];
  if (tags.length > 0) all.push((one) => tags.every((tag) => one.tags.includes(tag)));
  if (tags_any.length > 0) all.push((one) => tags_any.some((tag) => one.tags.includes(tag)));
  if (format_ids.length > 0) {
    const keys = new Set(format_ids.map(formatKey));
    all.push(({ format_id }) => keys.has(formatKey(format_id)));
  }
  if (name_contains !== undefined) {
    const part = name_contains.toLowerCase();
    all.push(({ name }) => name.toLowerCase().includes(part));
  }
  if (changed !== undefined) {
    const { gt = '', lt = LAST } = changed;
    all.push(({ updated_at }) => updated_at > gt && updated_at < lt);
  }
  if (unassigned !== undefined) {
    const uses = await creativeUses(mediaBuys, owner);
    all.push((one) => uses.has(creativeRef(one)) !== unassigned);
  }
  return all.length === 0 ? undefined : (one) => all.every((passes) => passes(one));
}

/** Behind all timestamps. */
const LAST = '~';
