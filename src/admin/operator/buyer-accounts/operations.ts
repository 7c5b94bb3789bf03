import { z } from 'zod';
import { toTimestamp } from '../../../platform/clock.ts';
import { AppError } from '../../../platform/errors.ts';
import { Accounts, AccountStatus, BuyerAccount, movedAccount } from '../../../sales/account/account.ts';
import { pageEnd, pageView } from '../../../tasks/paging.ts';
import { Id, IdOfOrganization, pageQuery, Words } from '../fields.ts';
import { operation } from '../operation.ts';

/** An account that a buyer buys under, as an operator sees it. */
export const BuyerAccountView = z.object(BuyerAccount.shape).omit({
  ...{ revision: true, made_by: true, subscriptions: true, is_heard: true, untold: true, untold_since: true },
});
export type BuyerAccountView = z.infer<typeof BuyerAccountView>;

const AccountParams = z.strictObject({ account_id: Id });

/** Of one organization, in one state, or all of them. */
export const listBuyerAccounts = operation({
  method: 'get',
  path: '/buyer-accounts',
  summary: 'List the accounts that buyers buy under, newest first: for which brand, and who acts for it.',
  role: 'viewer',
  query: z.strictObject({
    organization_id: IdOfOrganization.optional(),
    status: AccountStatus.optional(),
    ...pageQuery,
  }),
  answer: z.object({ accounts: z.array(BuyerAccountView), ...pageView }),
  async handle({ query: { organization_id, status, limit, cursor } }, { store }) {
    const page = await store.collection(Accounts).find({
      where: {
        ...(organization_id !== undefined && { organization_id }),
        ...(status !== undefined && { status }),
        ...(organization_id === undefined && status === undefined && { created_at: { gt: '' } }),
      },
      sort: { field: 'created_at', direction: 'desc' },
      limit,
      ...(cursor !== undefined && { after: cursor }),
    });
    return { accounts: page.rows.map(viewOf), ...pageEnd(page.cursor) };
  },
});

export const showBuyerAccount = operation({
  method: 'get',
  path: '/buyer-accounts/:account_id',
  summary: 'Show an account that a buyer buys under, and how it stands.',
  role: 'viewer',
  params: AccountParams,
  answer: BuyerAccountView,
  async handle({ params: { account_id } }, { store }) {
    const row = await store.collection(Accounts).get(account_id);
    if (row === undefined) throw unknown();
    return viewOf(row);
  },
});

/** What is booked runs on; in the public protocol, nothing is booked or changed under one that is not active. */
export const moveBuyerAccount = operation({
  method: 'post',
  path: '/buyer-accounts/:account_id/move',
  summary: 'Move an account: only under an active one is anything booked or changed. Closed and rejected are for good.',
  role: 'admin',
  action: 'buyers.move_account',
  concerns: ({ account_id }, { body: { status, reason } }) => ({ account_id, reason: `${status}: ${reason}` }),
  params: AccountParams,
  body: z.strictObject({
    status: AccountStatus,
    /** For the record; the buyer is told the state alone. */
    reason: Words,
  }),
  answer: BuyerAccountView,
  async handle({ params: { account_id }, body: { status } }, { store, clock }) {
    const at = toTimestamp(clock.now());
    const outcome = await store.collection(Accounts).update(account_id, (row) => movedAccount(row, status, at));
    if (outcome === undefined) throw unknown();
    return viewOf(outcome.row);
  },
});

function unknown(): AppError {
  return new AppError('NOT_FOUND', 'no account has this id', { field: 'account_id' });
}

function viewOf(row: BuyerAccount): BuyerAccountView {
  const { account_id, organization_id, name, status, brand_domain, brand_id, operator, sandbox } = row;
  const { governance_agents, created_at, updated_at } = row;
  return {
    account_id,
    organization_id,
    name,
    status,
    brand_domain,
    brand_id,
    operator,
    sandbox,
    ...(governance_agents && { governance_agents }),
    created_at,
    updated_at,
  };
}
