import type { OrganizationId } from '../../platform/organization-id.ts';
import type { Where } from '../../platform/store/collection.ts';
import { inlineTask } from '../../runtime/task-definition.ts';
import type { TaskDefinition } from '../../runtime/task-definition.ts';
import { isSeenUnder, seenUnder } from '../../sales/account/account.ts';
import { readHealth } from '../../sales/impairment/impairment-view.ts';
import type { MediaBuy } from '../../sales/media-buy/media-buy.ts';
import { toHistoryView, toMediaBuyView } from '../../sales/media-buy/media-buy-view.ts';
import { pendingChangeOf } from '../../sales/media-buy/pending-change.ts';
import type { TaskDependencies } from '../dependencies.ts';
import { ownMediaBuys, unknownNames } from '../own-rows.ts';
import { pageEnd, pageOf } from '../paging.ts';
import { refusalOf } from '../../platform/problem.ts';
import { GetMediaBuysRequest, GetMediaBuysResponse } from './schema.ts';
import type { MediaBuyRow } from './schema.ts';

/** Shows the caller's media buys as they stand (rules B8, B9, C.events.7). */
export function getMediaBuys(deps: TaskDependencies): TaskDefinition {
  return inlineTask<GetMediaBuysRequest>({
    name: 'get_media_buys',
    title: 'Get media buys',
    description:
      'Shows your media buys with packages, history, health and what you can do next; filters by id, status and buyer_ref.',
    tags: ['media-buy', 'buying'],
    examples: [{ title: 'Media buys that run or wait', input: { status: ['pending', 'active', 'paused'], limit: 20 } }],
    scope: 'tasks:read',
    input: GetMediaBuysRequest,
    output: GetMediaBuysResponse,
    async answer(request, { caller }) {
      const { organization_id } = caller;
      const page = await findBuys(deps, request, organization_id);
      const ids = page.buys.map(({ media_buy_id }) => media_buy_id);
      const healthOf = await readHealth(deps.impairments, ids);
      const media_buys = await Promise.all(
        page.buys.map(async (buy): Promise<MediaBuyRow> => ({
          ...toMediaBuyView(buy),
          history: buy.history.map(toHistoryView),
          ...pendingChange(buy),
          ...healthOf(buy.media_buy_id),
          ...(request.include_webhook_activity && {
            webhook_activity: await deps.webhookActivity({ organization_id, subject_id: buy.media_buy_id }),
          }),
        })),
      );
      const result: GetMediaBuysResponse = { media_buys, ...pageEnd(page.cursor) };
      return { result, message: media_buys.length === 1 ? 'one media buy' : `${media_buys.length} media buys` };
    },
  });
}

/** The page that is asked for, the newest first. @throws {AppError} `MEDIA_BUY_NOT_FOUND` with the place of the id. */
async function findBuys(
  { mediaBuys }: TaskDependencies,
  { media_buy_ids, status, buyer_ref, account_id, limit, cursor }: GetMediaBuysRequest,
  organization_id: OrganizationId,
): Promise<{ buys: MediaBuy[]; cursor?: string }> {
  const statuses = status === undefined ? undefined : [status].flat();
  const refs = buyer_ref === undefined ? undefined : [buyer_ref].flat();
  if (media_buy_ids === undefined) {
    const where: Where<MediaBuy> = {
      organization_id,
      ...seenUnder(account_id),
      ...(statuses !== undefined && { status: { in: statuses } }),
      ...(refs !== undefined && { buyer_ref: { in: refs } }),
    };
    const sort = { field: 'created_at', direction: 'desc' } as const;
    const page = await mediaBuys.find({ where, sort, limit, ...(cursor !== undefined && { after: cursor }) });
    return { buys: page.rows, ...(page.cursor !== undefined && { cursor: page.cursor }) };
  }
  const own = await ownMediaBuys(mediaBuys, { organization_id }, media_buy_ids);
  const named = media_buy_ids.map((id, i) => ({ id, path: ['media_buy_ids', i] }));
  const unknown = unknownNames('MEDIA_BUY_NOT_FOUND', named, own);
  if (unknown.length > 0) throw refusalOf(unknown);
  const wanted = [...own.values()]
    .filter((buy) => statuses?.includes(buy.status) ?? true)
    .filter((buy) => isSeenUnder(account_id, buy))
    .filter((buy) => refs?.includes(buy.buyer_ref) ?? true)
    .sort((a, b) => b.created_at.localeCompare(a.created_at) || b.media_buy_id.localeCompare(a.media_buy_id));
  const of = { organization_id, media_buy_ids, statuses, refs, ...(account_id !== undefined && { account_id }) };
  const { items, ...rest } = pageOf(wanted, { limit, cursor, of, keyOf: ({ media_buy_id }) => media_buy_id });
  return { buys: items, ...rest };
}

function pendingChange(buy: MediaBuy): Pick<MediaBuyRow, 'pending_change'> {
  const pending_change = pendingChangeOf(buy);
  return pending_change === undefined ? {} : { pending_change };
}
