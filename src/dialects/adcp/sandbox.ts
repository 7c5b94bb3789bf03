import type { Caller } from '../../directory/caller.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import type { Collection } from '../../platform/store/collection.ts';
import type { BuyerAccount } from '../../sales/account/account.ts';
import type { MediaBuy } from '../../sales/media-buy/media-buy.ts';
import { AccountRef } from './refs.ts';
import type { Translated } from './translator.ts';

export interface SandboxSources {
  accounts: Pick<Collection<BuyerAccount>, 'get'>;
  /** Whatever is ordered costs nobody anything; where it does, nothing is a sandbox. */
  isSimulated: boolean;
}

/**
 * Whether a request is for a sandbox account of the caller's: one that it names, or that what it is about is of. One that is named by its
 * brand says so itself, and may not be opened yet.
 */
export async function isOfSandbox(
  { accounts, isSimulated }: SandboxSources,
  { organization_id }: Caller,
  request: JsonObject,
  { account_id, sandbox }: Pick<Translated, 'account_id' | 'sandbox'>,
): Promise<boolean> {
  if (!isSimulated) return false;
  const named = AccountRef.safeParse(request['account']).data;
  if (named?.account_id === undefined && named?.brand !== undefined) return named.sandbox === true;
  const id = named?.account_id ?? account_id;
  if (id === undefined) return sandbox === true;
  return isSandboxAccount(accounts, { organization_id, account_id: id });
}

/** Whether a media buy was booked under a sandbox account. */
export async function isBookedInSandbox(
  { accounts, isSimulated }: SandboxSources,
  { organization_id, account_id }: Pick<MediaBuy, 'organization_id' | 'account_id'>,
): Promise<boolean> {
  if (!isSimulated || account_id === undefined) return false;
  return isSandboxAccount(accounts, { organization_id, account_id });
}

async function isSandboxAccount(
  accounts: SandboxSources['accounts'],
  { organization_id, account_id }: { organization_id: string; account_id: string },
): Promise<boolean> {
  const account = await accounts.get(account_id);
  return account?.organization_id === organization_id && account.sandbox;
}
