import type { JsonObject } from '../../../platform/json-object.ts';
import type { MediaBuy } from '../../../sales/media-buy/media-buy.ts';
import { publicAccount } from '../accounts.ts';
import type { AccountSources } from '../accounts.ts';

/** The accounts of some buys in public words, by id. */
export async function accountsOf(
  { accounts }: Pick<AccountSources, 'accounts'>,
  buys: readonly Pick<MediaBuy, 'account_id'>[],
): Promise<ReadonlyMap<string, JsonObject>> {
  const ids = [...new Set(buys.flatMap(({ account_id }) => account_id ?? []))];
  const rows = ids.length === 0 ? [] : await accounts.getMany(ids, { skipUnreadable: true });
  return new Map(rows.map((account) => [account.account_id, publicAccount(account)]));
}
