import type { Collection } from '../../platform/store/collection.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';
import { creativeKey } from './creative.ts';
import type { Creative, CreativeStatus } from './creative.ts';

/** The states of the creatives that a buy names, by their id; one that does not exist has no entry. */
export async function creativeStatuses(
  creatives: Collection<Creative>,
  { organization_id, packages }: Pick<MediaBuy, 'organization_id' | 'packages'>,
): Promise<ReadonlyMap<string, CreativeStatus>> {
  const ids = [...new Set(packages.flatMap(({ creative_ids }) => creative_ids))];
  if (ids.length === 0) return new Map();
  const rows = await creatives.getMany(ids.map((id) => creativeKey(organization_id, id)));
  return new Map(rows.map(({ creative_id, status }) => [creative_id, status]));
}
