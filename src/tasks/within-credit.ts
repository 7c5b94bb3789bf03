import type { Problem } from '../platform/errors.ts';
import { overCredit } from '../sales/credit/credit.ts';
import type { Commitment } from '../sales/credit/credit.ts';
import type { MediaBuyId } from '../sales/media-buy/media-buy-id.ts';
import type { MediaBuy } from '../sales/media-buy/media-buy.ts';
import type { TaskDependencies } from './dependencies.ts';

/** What a media buy commits as it is written here. Pure. */
export function commitmentOf({
  organization_id,
  media_buy_id,
  currency,
  total_budget_minor: total_minor,
}: MediaBuy): Commitment & { media_buy_id: MediaBuyId } {
  return { organization_id, media_buy_id, currency, total_minor };
}

/**
 * What the buyer's credit says against a request as one looks, so that it is refused before anything is queued or anybody asked; that it holds
 * then is seen to by `claimCredit`. `path`: where the money stands in the request.
 */
export async function creditProblems(
  { credit }: Pick<TaskDependencies, 'credit'>,
  asked: Commitment,
  path: readonly PropertyKey[],
): Promise<Problem[]> {
  const refusal = await overCredit(credit, asked);
  if (refusal === undefined) return [];
  const { code, message, details } = refusal;
  return [{ code, path, message, ...(details.suggestion !== undefined && { suggestion: details.suggestion }) }];
}
