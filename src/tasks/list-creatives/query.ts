import { toTimestamp } from '../../platform/clock.ts';
import type { OrganizationId } from '../../platform/organization-id.ts';
import type { Where } from '../../platform/store/collection.ts';
import { creativeKey, CreativeStatus } from '../../sales/creative/creative.ts';
import type { Creative } from '../../sales/creative/creative.ts';
import type { MediaBuy } from '../../sales/media-buy/media-buy.ts';
import { buysOfPackages, ownCreatives, ownMediaBuys, unknownNames } from '../own-rows.ts';
import type { Named } from '../own-rows.ts';
import type { TaskDependencies } from '../dependencies.ts';
import { refusalOf } from '../../platform/problem.ts';
import type { CreativeFilters } from './schema.ts';

const NOT_ARCHIVED = CreativeStatus.options.filter((status) => status !== 'archived');

/**
 * The filters as a condition on stored creatives.
 * @throws {AppError} `MEDIA_BUY_NOT_FOUND`, `PACKAGE_NOT_FOUND` or `CREATIVE_NOT_FOUND` for ids that are nothing of the
 * caller's (rule B13), every one of them in `issues`.
 */
export async function creativesWhere(
  { creatives, mediaBuys }: Pick<TaskDependencies, 'creatives' | 'mediaBuys'>,
  organization_id: OrganizationId,
  filters: CreativeFilters,
): Promise<Where<Creative>> {
  const { status = [], statuses = [], format_types = [], creative_ids = [] } = filters;
  const { media_buy_ids = [], package_ids = [], created_after, created_before } = filters;
  const [known, buys, packages] = await Promise.all([
    ownCreatives(creatives, organization_id, creative_ids),
    ownMediaBuys(mediaBuys, organization_id, media_buy_ids),
    buysOfPackages(mediaBuys, organization_id, package_ids),
  ]);
  const problems = [
    ...unknownNames('MEDIA_BUY_NOT_FOUND', namesOf('media_buy_ids', media_buy_ids), buys),
    ...unknownNames('PACKAGE_NOT_FOUND', namesOf('package_ids', package_ids), packages),
    ...unknownNames('CREATIVE_NOT_FOUND', namesOf('creative_ids', creative_ids), known),
  ];
  if (problems.length > 0) throw refusalOf(problems);
  const wanted: ReadonlySet<string>[] = [
    ...(creative_ids.length === 0 ? [] : [new Set(creative_ids)]),
    ...(media_buy_ids.length === 0 ? [] : [namedBy([...buys.values()], () => true)]),
    ...(package_ids.length === 0 ? [] : [namedBy([...packages.values()], (id) => package_ids.includes(id))]),
  ];
  return {
    organization_id,
    status: { in: statusesOf(status, statuses, creative_ids.length > 0) },
    ...((created_after ?? created_before) !== undefined && {
      created_at: {
        ...(created_after !== undefined && { gt: toTimestamp(Date.parse(created_after)) }),
        ...(created_before !== undefined && { lt: toTimestamp(Date.parse(created_before)) }),
      },
    }),
    ...(format_types.length > 0 && { format_type: { in: format_types } }),
    ...(wanted.length > 0 && { creative_key: { in: keysInAll(organization_id, wanted) } }),
  };
}

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

/** The creatives that the packages of these buys name. */
function namedBy(buys: readonly MediaBuy[], isWanted: (package_id: string) => boolean): ReadonlySet<string> {
  const lines = buys.flatMap(({ packages }) => packages).filter(({ package_id }) => isWanted(package_id));
  return new Set(lines.flatMap(({ creative_ids }) => creative_ids));
}

function keysInAll(organization_id: OrganizationId, sets: readonly ReadonlySet<string>[]): string[] {
  const ids = [...(sets[0] ?? [])].filter((id) => sets.every((set) => set.has(id)));
  return ids.map((id) => creativeKey(organization_id, id)).sort();
}

function namesOf(filter: string, ids: readonly string[]): Named[] {
  return ids.map((id, i) => ({ id, path: ['filters', filter, i] }));
}
