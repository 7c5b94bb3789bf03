import type { Caller } from '../../../directory/caller.ts';
import type { Where } from '../../../platform/store/collection.ts';
import { MOST_COUNTED } from '../../../runtime/list.ts';
import { seenUnder } from '../../../sales/account/account.ts';
import type { MediaBuy } from '../../../sales/media-buy/media-buy.ts';
import { amongThem } from '../media-buys/buys-asked.ts';
import type { BuysWanted } from '../media-buys/buys-asked.ts';
import { exactOnly } from '../pagination.ts';
import type { TranslatorSources } from '../sources.ts';
import { isToldBySelf, ourStatuses } from '../statuses.ts';

/** Buys whose public state is to be found out one by one are looked at so many at a time, and {@link MOST_COUNTED} of them at most. */
const PAGE = 100;
const MAX_PAGES = MOST_COUNTED / PAGE;

/** How many buys fit on all pages; undefined from {@link MOST_COUNTED} on, and where to find out would be to look at as many. */
export async function exactTotal(
  sources: TranslatorSources,
  { organization_id }: Caller,
  { media_buy_ids, ...wanted }: BuysWanted & { media_buy_ids?: readonly string[] },
): Promise<number | undefined> {
  const { mediaBuys } = sources;
  if (media_buy_ids !== undefined) {
    const rows = await mediaBuys.getMany([...new Set(media_buy_ids)]);
    const own = rows.filter((buy) => buy.organization_id === organization_id);
    return (await amongThem(sources, own, wanted)).length;
  }
  const { account_id, statuses } = wanted;
  const where = { organization_id, ...seenUnder(account_id) };
  const count = (status: { status?: { in: MediaBuy['status'][] } }) => counted(sources, { ...where, ...status });
  if (statuses === undefined) return exactOnly(await count({}));
  const ours = ourStatuses(statuses);
  const sure = ours.filter(isToldBySelf);
  const unsure = ours.filter((status) => !isToldBySelf(status));
  const [told, looked] = await Promise.all([
    sure.length === 0 ? 0 : count({ status: { in: sure } }),
    unsure.length === 0 ? 0 : lookedAt(sources, { ...where, status: { in: unsure } }, wanted),
  ]);
  return looked === undefined ? undefined : exactOnly(told + looked);
}

type Seen = Where<MediaBuy> & ReturnType<typeof seenUnder>;

/** Account by account, since an index has each of them together. */
async function counted({ mediaBuys }: Pick<TranslatorSources, 'mediaBuys'>, where: Seen): Promise<number> {
  const each = where.account_id === undefined ? [{}] : where.account_id.in.map((account_id) => ({ account_id }));
  const counts = await Promise.all(each.map((one) => mediaBuys.count({ ...where, ...one }, { most: MOST_COUNTED })));
  return counts.reduce((sum, one) => sum + one, 0);
}

async function lookedAt(sources: TranslatorSources, where: Seen, wanted: BuysWanted): Promise<number | undefined> {
  const sort = { field: 'created_at', direction: 'desc' } as const;
  let found = 0;
  let after: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const page = await sources.mediaBuys.find({ where, sort, limit: PAGE, ...(after !== undefined && { after }) });
    found += (await amongThem(sources, page.rows, wanted)).length;
    after = page.cursor;
    if (after === undefined) return found;
  }
  return undefined;
}
