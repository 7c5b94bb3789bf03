import type { Caller } from '../../directory/caller.ts';
import type { Clock } from '../../platform/clock.ts';
import { AppError, invalidRequest } from '../../platform/errors.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import type { Collection } from '../../platform/store/collection.ts';
import { accountIdOf, openAccount } from '../../sales/account/account.ts';
import type { BuyerAccount, AccountKey } from '../../sales/account/account.ts';
import type { AccountRef } from './refs.ts';

export interface AccountSources {
  accounts: Collection<BuyerAccount>;
  clock: Clock;
}

/**
 * The account that a change is asked for under; one known by its brand and operator is made where there is none yet.
 * @throws {AppError} `ACCOUNT_NOT_FOUND` for an id that is none of the caller's; `INVALID_REQUEST` for what names none.
 */
export async function accountFor(sources: AccountSources, caller: Caller, ref: AccountRef): Promise<BuyerAccount> {
  const { organization_id } = caller;
  if (ref.account_id === undefined) return openAccount(sources, organization_id, keyOf(ref));
  const account = await sources.accounts.get(ref.account_id);
  if (account?.organization_id === organization_id) return account;
  throw new AppError('ACCOUNT_NOT_FOUND', 'account.account_id: no account of yours has this id', {
    field: 'account.account_id',
  });
}

/** The id of the account that is read; none is made. @throws {AppError} as {@link accountFor}. */
export async function accountIdFor(sources: AccountSources, caller: Caller, ref: AccountRef): Promise<string> {
  if (ref.account_id !== undefined) return (await accountFor(sources, caller, ref)).account_id;
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
