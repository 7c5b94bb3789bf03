import type { Caller } from '../../directory/caller.ts';
import type { Clock } from '../../platform/clock.ts';
import { AppError, invalidRequest } from '../../platform/errors.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import type { Collection } from '../../platform/store/collection.ts';
import { accountIdOf, knownAccount } from '../../sales/account/account.ts';
import type { BuyerAccount, AccountKey } from '../../sales/account/account.ts';
import type { AccountRef } from './refs.ts';

export interface AccountSources {
  accounts: Collection<BuyerAccount>;
  clock: Clock;
  /** Whatever is ordered costs nobody anything. */
  isSimulated: boolean;
}

/**
 * The account that a change is asked for under; for one known by its brand and operator, of which there is none yet, what is to be
 * stored of it once the change is taken ({@link keepAccount}).
 * @throws {AppError} `ACCOUNT_NOT_FOUND` for an id that is none of the caller's; `INVALID_REQUEST` for what names none;
 *   `UNSUPPORTED_FEATURE` for a sandbox where what is ordered is real.
 */
export async function accountFor(sources: AccountSources, caller: Caller, ref: AccountRef): Promise<BuyerAccount> {
  const { organization_id } = caller;
  const account =
    ref.account_id === undefined
      ? await knownAccount(sources, organization_id, keyOf(ref))
      : await accountById(sources, caller, ref.account_id);
  if (!account.sandbox || sources.isSimulated) return account;
  const field = 'account.sandbox';
  throw new AppError('UNSUPPORTED_FEATURE', `${field}: what is ordered here is real; there is no sandbox`, { field });
}

async function accountById(
  { accounts }: AccountSources,
  { organization_id }: Caller,
  account_id: string,
): Promise<BuyerAccount> {
  const account = await accounts.get(account_id);
  if (account?.organization_id === organization_id) return account;
  throw new AppError('ACCOUNT_NOT_FOUND', 'account.account_id: no account of yours has this id', {
    field: 'account.account_id',
  });
}

/** The id of the account that is read; none is made. @throws {AppError} as {@link accountFor}. */
export async function accountIdFor(sources: AccountSources, caller: Caller, ref: AccountRef): Promise<string> {
  if (ref.account_id !== undefined) return (await accountById(sources, caller, ref.account_id)).account_id;
  return accountIdOf(caller.organization_id, keyOf(ref));
}

/** An account in public words. Pure. */
export function publicAccount(account: BuyerAccount): JsonObject {
  const { account_id, name, status, brand_domain: domain, brand_id, operator, sandbox } = account;
  const brand = { domain, ...(brand_id !== null && { brand_id }) };
  return { account_id, name, status, brand, operator, billing: 'operator', ...(sandbox && { sandbox }) };
}

function keyOf({ brand, operator, sandbox = false }: AccountRef): AccountKey {
  if (brand === undefined) throw invalidRequest('account', 'send an account_id, or the brand and its operator');
  const brand_domain = brand.domain.toLowerCase();
  return { brand_domain, brand_id: brand.brand_id ?? null, operator: operator?.toLowerCase() ?? brand_domain, sandbox };
}
