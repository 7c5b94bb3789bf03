import type { Caller } from '../../../directory/caller.ts';
import { AppError } from '../../../platform/errors.ts';
import { isSeenUnder } from '../../../sales/account/account.ts';
import type { MediaBuy } from '../../../sales/media-buy/media-buy.ts';
import type { TranslatorSources } from '../sources.ts';

/** The caller's buy, as it is seen under the account named. @throws {AppError} `MEDIA_BUY_NOT_FOUND`, the same for whatever is not. */
export async function ownBuy(
  { mediaBuys }: Pick<TranslatorSources, 'mediaBuys'>,
  { organization_id }: Caller,
  media_buy_id: string,
  account_id: string | undefined,
): Promise<MediaBuy> {
  const buy = await mediaBuys.get(media_buy_id);
  if (buy?.organization_id === organization_id && isSeenUnder(account_id, buy)) return buy;
  const whose = account_id === undefined ? 'you have no media buy' : 'no media buy of this account is there';
  throw new AppError('MEDIA_BUY_NOT_FOUND', `media_buy_id: ${whose} with this id`, { field: 'media_buy_id' });
}
