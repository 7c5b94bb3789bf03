import { z } from 'zod';
import { canonicalDigest } from '../../platform/crypto/canonical-json.ts';
import { AppError } from '../../platform/errors.ts';
import { OrganizationId } from '../../platform/organization-id.ts';
import { toTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Collection, CollectionSpec } from '../../platform/store/collection.ts';
import { JsonObject } from '../../platform/json-object.ts';
import { UNTOLD_FIELDS, withUntold } from '../status-change.ts';
import { GovernanceAgents } from './governance.ts';

/** For whom a buyer buys, and who acts for them. */
export const AccountKey = z.object({
  /** Lower case. */
  brand_domain: z.string(),
  /** One of several brands of the domain; null where that is not said. */
  brand_id: z.string().nullable(),
  /** The domain of who acts for the brand, in lower case; the brand itself, or an agency. */
  operator: z.string(),
  sandbox: z.boolean(),
});
export type AccountKey = z.infer<typeof AccountKey>;

/**
 * How an account stands. Under any but an active one nothing is booked or changed in the public protocol; what is booked runs on. None
 * leaves `closed` or `rejected`, which are for good.
 */
export const AccountStatus = z.enum([
  'active',
  'pending_approval',
  'payment_required',
  'suspended',
  'closed',
  'rejected',
]);
export type AccountStatus = z.infer<typeof AccountStatus>;

/** An account of a buyer's organization: what it buys for one brand is kept apart under it. */
export const BuyerAccount = AccountKey.extend({
  account_id: z.string(),
  organization_id: OrganizationId,
  name: z.string(),
  status: AccountStatus,
  /** The task that made it, where one was asked to. */
  made_by: z.string().optional(),
  /** Whom the buyer has named to judge what is bought under it. */
  governance_agents: GovernanceAgents.optional(),
  /** Who hears of it and its creatives, by webhook; what is in it, `src/webhooks/subscription` knows. */
  subscriptions: JsonObject.optional(),
  /** Whether there is one in it that is told anything. */
  is_heard: z.boolean().optional(),
  /** What became of its state, and its subscribers have not been told. */
  ...UNTOLD_FIELDS,
  created_at: z.string(),
  updated_at: z.string(),
  revision: z.int(),
});
export type BuyerAccount = z.infer<typeof BuyerAccount>;

export const Accounts: CollectionSpec<BuyerAccount> = {
  name: 'accounts',
  key: 'account_id',
  schema: BuyerAccount,
  indexes: [
    { name: 'by_organization', fields: ['organization_id', 'created_at'] },
    { name: 'by_organization_status', fields: ['organization_id', 'status', 'created_at'] },
    { name: 'by_organization_sandbox', fields: ['organization_id', 'sandbox', 'status', 'created_at'] },
    { name: 'by_status', fields: ['status', 'created_at'] },
    { name: 'by_organization_heard', fields: ['organization_id', 'is_heard', 'created_at'] },
    { name: 'untold', fields: ['untold_since'] },
    { name: 'by_creation', fields: ['created_at'] },
  ],
};

/**
 * The account once it stands otherwise, with that to be told; undefined where it stands so. Pure.
 * @throws {AppError} `INVALID_STATE` for one that is closed or rejected, which is for good.
 */
export function movedAccount(account: BuyerAccount, status: AccountStatus, at: string): BuyerAccount | undefined {
  if (account.status === status) return undefined;
  if (account.status === 'closed' || account.status === 'rejected') {
    throw new AppError('INVALID_STATE', `status: the account is ${account.status}, which is for good`, {
      field: 'status',
      details: { status: account.status },
    });
  }
  const change = {
    at,
    from_status: account.status,
    to_status: status,
    initiator: 'seller',
    reason_code: null,
  } as const;
  return withUntold({ ...account, status, updated_at: at }, account.account_id, { ...change, note: null });
}

/** An account has its id by what it is known by, so that two requests at once make one. Pure. */
export function accountIdOf(organization_id: OrganizationId, key: AccountKey): string {
  return `acc_${canonicalDigest({ organization_id, ...key }).slice(0, 32)}`;
}

/** Whether what was booked is seen under an account: not under another; what was booked in our own words is of none, and seen under each. Pure. */
export function isSeenUnder(account_id: string | undefined, booked: { account_id?: string | undefined }): boolean {
  return account_id === undefined || booked.account_id === undefined || booked.account_id === account_id;
}

/** The same as a condition on stored rows; none without an account. Pure. */
export function seenUnder(account_id: string | undefined): { account_id?: { in: [string, null] } } {
  return account_id === undefined ? {} : { account_id: { in: [account_id, null] } };
}

/** The account known by this; one that is not stored yet where there is none. */
export async function knownAccount(
  { accounts, clock }: { accounts: Collection<BuyerAccount>; clock: Pick<Clock, 'now'> },
  organization_id: OrganizationId,
  key: AccountKey,
  made_by?: string,
): Promise<BuyerAccount> {
  const account_id = accountIdOf(organization_id, key);
  const known = await accounts.get(account_id);
  if (known !== undefined) return known;
  const at = toTimestamp(clock.now());
  const { brand_domain, brand_id, operator } = key;
  const brand = brand_id === null ? brand_domain : `${brand_domain} (${brand_id})`;
  return {
    ...{ account_id, organization_id, ...key, status: 'active', created_at: at, updated_at: at, revision: 1 },
    name: operator === brand_domain ? brand : `${brand}, by ${operator}`,
    ...(made_by !== undefined && { made_by }),
  };
}

/** Stores an account that may be new; one that is there is left as it is. Answers what is stored. */
export async function keepAccount(accounts: Collection<BuyerAccount>, account: BuyerAccount): Promise<BuyerAccount> {
  const known = await accounts.get(account.account_id);
  if (known !== undefined || (await accounts.insert(account)).inserted) return known ?? account;
  return (await accounts.get(account.account_id)) ?? account;
}

/** The account known by this, made where there is none yet. */
export async function openAccount(
  sources: { accounts: Collection<BuyerAccount>; clock: Pick<Clock, 'now'> },
  organization_id: OrganizationId,
  key: AccountKey,
  made_by?: string,
): Promise<BuyerAccount> {
  return keepAccount(sources.accounts, await knownAccount(sources, organization_id, key, made_by));
}
