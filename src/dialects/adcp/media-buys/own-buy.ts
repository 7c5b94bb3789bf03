import type { Caller } from '../../../directory/caller.ts';
import { AppError } from '../../../platform/errors.ts';
import { isSeenUnder } from '../../../sales/account/account.ts';
import type { MediaBuy } from '../../../sales/media-buy/media-buy.ts';
import type { TranslatorSources } from '../sources.ts';

/** The caller's buy, of the account named; undefined for what the task itself refuses. @throws {AppError} `MEDIA_BUY_NOT_FOUND`. */
export async function ownBuy(
  { mediaBuys }: Pick<TranslatorSources, 'mediaBuys'>,
  { organization_id }: Caller,
  media_buy_id: string,
  account_id: string | undefined,
): Promise<MediaBuy | undefined> {
  const buy = await mediaBuys.get(media_buy_id);
  if (buy?.organization_id !== organization_id) return undefined;
  if (isSeenUnder(account_id, buy)) return buy;
  throw new AppError('MEDIA_BUY_NOT_FOUND', 'media_buy_id: no media buy of this account has this id', {
    field: 'media_buy_id',
  });
}
