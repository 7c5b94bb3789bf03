import type { Caller } from '../../directory/caller.ts';
import type { Clock } from '../../platform/clock.ts';
import { AppError, invalidRequest } from '../../platform/errors.ts';
import type { ErrorCode } from '../../platform/errors.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import type { OrganizationId } from '../../platform/organization-id.ts';
import type { Collection } from '../../platform/store/collection.ts';
import { accountIdOf, knownAccount } from '../../sales/account/account.ts';
import type { AccountKey, AccountStatus, BuyerAccount } from '../../sales/account/account.ts';
import type { AccountRef } from './refs.ts';
import { refuseUnsupported } from './unsupported.ts';

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
 *   `UNSUPPORTED_FEATURE` for a sandbox where what is ordered is real; see {@link assertAccountOpen}.
 */
export async function accountFor(sources: AccountSources, caller: Caller, ref: AccountRef): Promise<BuyerAccount> {
  const { organization_id } = caller;
  const account =
    ref.account_id === undefined
      ? await knownAccount(sources, organization_id, keyOf(ref))
      : await ownAccount(sources, caller, ref.account_id);
  assertAccountOpen(account);
  if (!account.sandbox || sources.isSimulated) return account;
  const field = 'account.sandbox';
  throw new AppError('UNSUPPORTED_FEATURE', `${field}: ${NO_SANDBOX}`, { field });
}

export const NO_SANDBOX = 'what is ordered here is real; there is no sandbox';

/** @throws {AppError} `ACCOUNT_NOT_FOUND`. */
export async function ownAccount(
  { accounts }: AccountSources,
  { organization_id }: Caller,
  account_id: string,
): Promise<BuyerAccount> {
  const account = await accounts.get(account_id);
  if (account?.organization_id === organization_id) return account;
  throw new AppError('ACCOUNT_NOT_FOUND', 'account.account_id: no account of yours has this id', {
    field: 'account.account_id',
    suggestion: 'call list_accounts',
  });
}

/** For what is the same under every account. @throws {AppError} `ACCOUNT_NOT_FOUND` for an id that is none of the caller's. */
export async function assertAccountKnown(sources: AccountSources, caller: Caller, ref?: AccountRef): Promise<void> {
  if (ref?.account_id !== undefined) await ownAccount(sources, caller, ref.account_id);
}

/** What is said of an account under which nothing may be booked or changed. */
const NOT_OPEN = {
  pending_approval: ['ACCOUNT_SETUP_REQUIRED', 'the seller has yet to approve this account'],
  payment_required: ['ACCOUNT_PAYMENT_REQUIRED', 'the seller waits for a payment before anything is booked or changed'],
  suspended: ['ACCOUNT_SUSPENDED', 'the seller has suspended this account'],
  closed: ['ACCOUNT_SUSPENDED', 'this account is closed'],
  rejected: ['ACCOUNT_SUSPENDED', 'the seller has rejected this account'],
} as const satisfies Record<Exclude<AccountStatus, 'active'>, readonly [ErrorCode, string]>;

/** @throws {AppError} by the state of an account that is not active (rule D4.accounts). */
export function assertAccountOpen({ status }: Pick<BuyerAccount, 'status'>): void {
  if (status === 'active') return;
  const [code, why] = NOT_OPEN[status];
  const suggestion = 'ask the seller; what is booked runs on, and can be read';
  throw new AppError(code, `account: ${why}`, { field: 'account', suggestion, details: { status } });
}

/** The id of the account that is read; none is made. @throws {AppError} as {@link accountFor}. */
export async function accountIdFor(sources: AccountSources, caller: Caller, ref: AccountRef): Promise<string> {
  if (ref.account_id !== undefined) return (await ownAccount(sources, caller, ref.account_id)).account_id;
  return accountIdOfRef(caller.organization_id, ref, 'account');
}

/** The id that what is named here would have; `field`: where it is named. @throws {AppError} `INVALID_REQUEST` for what names none. Pure. */
export function accountIdOfRef(organization_id: OrganizationId, ref: AccountRef, field: string): string {
  return ref.account_id ?? accountIdOf(organization_id, keyOf(ref, field));
}

/** What is told of an account; one that is not there yet has no id. */
type ToldAccount = AccountKey & Pick<BuyerAccount, 'name' | 'status'> & { account_id?: string | undefined };

/** An account in public words. Pure. */
export function publicAccount({ account_id, ...account }: ToldAccount): JsonObject {
  const { name, status, brand_domain: domain, brand_id, operator, sandbox } = account;
  const brand = { domain, ...(brand_id !== null && { brand_id }) };
  const told = { name, status, brand, operator, billing: 'operator', ...(sandbox && { sandbox }) };
  return account_id === undefined ? told : { account_id, ...told };
}

/** What 3.2 knows accounts by besides: two that differ in it alone would be taken for one. */
const NOT_OF_AN_ACCOUNT = {
  operator_unit: 'accounts are of operators here, and not of their units',
  currency: 'accounts are of no currency here; each media buy is of its own',
  timezone: 'accounts have no time zone of their own here; days are those of UTC',
};
const NOT_OF_A_BRAND = { countries: 'accounts are of a brand here, wherever it is advertised' };

/** @param at where the account stands, with a dot at the end. @throws {AppError} `UNSUPPORTED_FEATURE` for what no account here is known by. */
export function refuseOtherKeys(account: JsonObject & { brand?: JsonObject | undefined }, at: string): void {
  refuseUnsupported(account, NOT_OF_AN_ACCOUNT, { at });
  refuseUnsupported(account.brand ?? {}, NOT_OF_A_BRAND, { at: `${at}brand.` });
}

/** What an account is known by. @throws {AppError} `INVALID_REQUEST`; {@link refuseOtherKeys}. */
export function keyOf(account: AccountRef, field = 'account'): AccountKey {
  const { brand, operator, sandbox = false } = account;
  if (brand === undefined) throw invalidRequest(field, 'send an account_id, or the brand and its operator');
  refuseOtherKeys(account, `${field}.`);
  const brand_domain = brand.domain.toLowerCase();
  return { brand_domain, brand_id: brand.brand_id ?? null, operator: operator?.toLowerCase() ?? brand_domain, sandbox };
}
