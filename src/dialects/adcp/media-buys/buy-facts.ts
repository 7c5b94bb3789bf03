import type { JsonObject } from '../../../platform/json-object.ts';
import type { Collection } from '../../../platform/store/collection.ts';
import { formatMoney } from '../../../platform/money.ts';
import type { Creative, CreativeStatus } from '../../../sales/creative/creative.ts';
import { creativeKey } from '../../../sales/creative/creative.ts';
import { creativeRef } from '../../../sales/creative/creative-ref.ts';
import type { MediaBuy, MediaBuyEvent } from '../../../sales/media-buy/media-buy.ts';
import { saidOfBuy } from '../../../sales/media-buy/said-of-buy.ts';
import { isFrom } from '../release.ts';
import { publicBuyStatus } from '../statuses.ts';
import { publicPackages } from './package-view.ts';
import { actionsTold } from './public-actions.ts';
import type { ActionFacts } from './public-actions.ts';

/** The states of the creatives that some buys name, by the name that rows have them by (`creativeRef`), and not by the buyer's id. */
export type CreativeStates = ReadonlyMap<string, CreativeStatus>;

/** Reads them, all of one organization's. */
export async function creativeStates(
  { creatives }: { creatives: Collection<Creative> },
  buys: readonly MediaBuy[],
): Promise<CreativeStates> {
  const keys = new Set(
    buys.flatMap(({ organization_id, packages }) =>
      packages.flatMap(({ creative_ids }) => creative_ids.map((ref) => creativeKey(organization_id, ref))),
    ),
  );
  const rows = keys.size === 0 ? [] : await creatives.getMany([...keys], { skipUnreadable: true });
  return new Map(rows.map((row) => [creativeRef(row), row.status]));
}

/** What every answer about a buy says of it. Pure. */
export function buyFacts(buy: MediaBuy, states: CreativeStates, facts: ActionFacts): JsonObject {
  const { release } = facts;
  const { name, ext } = saidOfBuy(buy);
  return {
    ...{ media_buy_id: buy.media_buy_id, currency: buy.currency, revision: buy.revision },
    total_budget: formatMoney(buy.total_budget_minor, buy.currency),
    ...{ start_time: buy.start_time, end_time: buy.end_time },
    confirmed_at: confirmedAt(buy),
    ...actionsTold(buy, facts),
    packages: publicPackages(buy, release),
    ...(isFrom(release, '3.2') && name !== undefined && { name }),
    ...(ext !== undefined && { ext }),
    ...endOf(buy),
    status: buyStatusOf(buy, states),
  };
}

/** How a buy stands, in public words. Pure. */
export function buyStatusOf(buy: MediaBuy, states: CreativeStates): ReturnType<typeof publicBuyStatus> {
  return publicBuyStatus(buy, (ref) =>
    ['rejected', 'suspended', 'archived'].includes(states.get(ref) ?? 'pending_review'),
  );
}

/** Since when the seller stands by the buy; null while a person, or the ad server, has yet to take it, and when neither did. */
export function confirmedAt({ pending_reason, is_uncommitted, history, created_at }: MediaBuy): string | null {
  if (pending_reason === 'approval') return null;
  return history.find(({ action }) => action === 'approved')?.at ?? (is_uncommitted === true ? null : created_at);
}

/** Who ended it, and why. */
function endOf({ status, history }: MediaBuy): JsonObject {
  const ended = (action: string) => history.findLast((event) => event.to_status === action);
  if (status === 'canceled') {
    const { at = '', actor = 'system', note = null } = ended('canceled') ?? ({} as Partial<MediaBuyEvent>);
    const canceled_by = actor === 'buyer' ? 'buyer' : 'seller';
    return { cancellation: { canceled_at: at, canceled_by, ...(note !== null && { reason: note }) } };
  }
  const why = status === 'rejected' ? (ended('rejected')?.note ?? null) : null;
  return why === null ? {} : { rejection_reason: why };
}
