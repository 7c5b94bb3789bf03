import type { Where } from '../../platform/store/collection.ts';
import { creativeKey, CreativeStatus } from '../../sales/creative/creative.ts';
import type { Creative } from '../../sales/creative/creative.ts';
import { creativesSeen, idsOfAll, seenLibrary } from '../../sales/creative/creative-library.ts';
import type { LibraryOwner } from '../../sales/creative/creative-library.ts';
import type { MediaBuy } from '../../sales/media-buy/media-buy.ts';
import { instantRange } from '../instant-range.ts';
import { buysOfPackages, ownMediaBuys, unknownNames } from '../own-rows.ts';
import type { Named } from '../own-rows.ts';
import type { TaskDependencies } from '../dependencies.ts';
import { passesOf } from './passes.ts';
import type { SeenQuery } from './seen-page.ts';
import { refusalOf } from '../../platform/problem.ts';
import type { CreativeFilters, CreativeSort } from './schema.ts';

const NOT_ARCHIVED = CreativeStatus.options.filter((status) => status !== 'archived');

/**
 * The filters as a condition on the stored creatives that the owner sees, or on those of all libraries. What media buys and packages
 * name is what they name, also where the id means another one to the owner by now. `hides`: an account's own hide shared ones.
 * @throws {AppError} `MEDIA_BUY_NOT_FOUND`, `PACKAGE_NOT_FOUND` or `CREATIVE_NOT_FOUND` for ids that are nothing of the
 * caller's (rule B13), every one of them in `issues`.
 */
export async function creativesWhere(
  { creatives, mediaBuys }: Pick<TaskDependencies, 'creatives' | 'mediaBuys'>,
  owner: LibraryOwner,
  { filters, all_libraries: isAll, sort }: { filters: CreativeFilters; all_libraries: boolean; sort: CreativeSort },
): Promise<SeenQuery> {
  const { status = [], statuses = [], format_types = [], creative_ids = [] } = filters;
  const { media_buy_ids = [], package_ids = [], account_ids = [] } = filters;
  const created_at = instantRange({ gt: filters.created_after, lt: filters.created_before });
  const updated_at = instantRange({ gt: filters.updated_after, lt: filters.updated_before });
  const [known, buys, packages, passes] = await Promise.all([
    isAll ? idsOfAll(creatives, owner.organization_id, creative_ids) : creativesSeen(creatives, owner, creative_ids),
    ownMediaBuys(mediaBuys, owner, media_buy_ids),
    buysOfPackages(mediaBuys, owner, package_ids),
    passesOf(mediaBuys, owner, filters),
  ]);
  const problems = [
    ...unknownNames('MEDIA_BUY_NOT_FOUND', namesOf('media_buy_ids', media_buy_ids), buys),
    ...unknownNames('PACKAGE_NOT_FOUND', namesOf('package_ids', package_ids), packages),
    ...unknownNames('CREATIVE_NOT_FOUND', namesOf('creative_ids', creative_ids), known),
  ];
  if (problems.length > 0) throw refusalOf(problems);
  const named: ReadonlySet<string>[] = [
    ...(media_buy_ids.length === 0 ? [] : [namedBy([...buys.values()], () => true)]),
    ...(package_ids.length === 0 ? [] : [namedBy([...packages.values()], (id) => package_ids.includes(id))]),
  ];
  const field = SORTED_BY[sort.field];
  const where: Where<Creative> = {
    ...(isAll ? { organization_id: owner.organization_id } : seenLibrary(owner)),
    // Of what is seen: an id that is no account's, or another's, leaves nothing.
    ...(account_ids.length > 0 && { account_id: { in: account_ids.filter((id) => isAll || id === owner.account_id) } }),
    ...(creative_ids.length > 0 && { creative_id: { in: [...new Set(creative_ids)].sort() } }),
    status: { in: statusesOf(status, statuses, creative_ids.length > 0) },
    ...(created_at !== undefined && { created_at }),
    // In the order of an index that has it; else each is looked at.
    ...(updated_at !== undefined && field === 'updated_at' && { updated_at }),
    ...(format_types.length > 0 && { format_type: { in: format_types } }),
    ...(named.length > 0 && { creative_key: { in: keysInAll(named) } }),
  };
  const hides = !isAll && named.length === 0 && account_ids.length === 0;
  return { ...{ owner, where, hides, passes }, sort: { field, direction: sort.direction } };
}

const SORTED_BY = { created_date: 'created_at', updated_date: 'updated_at', name: 'name' } as const;

function statusesOf(
  status: readonly CreativeStatus[],
  statuses: readonly CreativeStatus[],
  isNamed: boolean,
): CreativeStatus[] {
  if (status.length === 0 && statuses.length === 0) return isNamed ? CreativeStatus.options : NOT_ARCHIVED;
  return CreativeStatus.options.filter(
    (one) => (status.length === 0 || status.includes(one)) && (statuses.length === 0 || statuses.includes(one)),
  );
}

/** The keys of the creatives that the packages of these buys name. */
function namedBy(buys: readonly MediaBuy[], isWanted: (package_id: string) => boolean): ReadonlySet<string> {
  return new Set(
    buys.flatMap(({ organization_id, packages }) =>
      packages
        .filter(({ package_id }) => isWanted(package_id))
        .flatMap(({ creative_ids }) => creative_ids.map((ref) => creativeKey(organization_id, ref))),
    ),
  );
}

function keysInAll(sets: readonly ReadonlySet<string>[]): string[] {
  return [...(sets[0] ?? [])].filter((key) => sets.every((set) => set.has(key))).sort();
}

function namesOf(filter: string, ids: readonly string[]): Named[] {
  return ids.map((id, i) => ({ id, path: ['filters', filter, i] }));
}
