import { z } from 'zod';
import { toTimestamp } from '../../../platform/clock.ts';
import { AppError } from '../../../platform/errors.ts';
import { Accounts, AccountStatus, movedAccount } from '../../../sales/account/account.ts';
import { pageEnd, pageView } from '../../../tasks/paging.ts';
import { BuyerAsked, Id, pageQuery, Words } from '../fields.ts';
import { operation } from '../operation.ts';
import type { Json } from '../operation.ts';
import {
  accountInFull,
  accountViews,
  BuyerAccountInFullView,
  BuyerAccountView,
  oneAccountView,
} from './account-in-full.ts';

const AccountParams = z.strictObject({ account_id: Id });

/** Of one organization, in one state, or all of them. */
export const listBuyerAccounts = operation({
  method: 'get',
  path: '/buyer-accounts',
  summary: 'List the accounts that buyers buy under, newest first: for which brand, and who acts for it.',
  role: 'viewer',
  query: z.strictObject({
    organization_id: BuyerAsked.optional(),
    status: AccountStatus.optional(),
    ...pageQuery,
  }),
  answer: z.object({ accounts: z.array(BuyerAccountView), ...pageView }),
  async handle({ query: { organization_id, status, limit, cursor } }, deps) {
    const page = await deps.store.collection(Accounts).find({
      where: {
        ...(organization_id !== undefined && { organization_id }),
        ...(status !== undefined && { status }),
        ...(organization_id === undefined && status === undefined && { created_at: { gt: '' } }),
      },
      sort: { field: 'created_at', direction: 'desc' },
      limit,
      ...(cursor !== undefined && { after: cursor }),
    });
    return { accounts: await accountViews(deps, page.rows), ...pageEnd(page.cursor) };
  },
});

export const showBuyerAccount = operation({
  method: 'get',
  path: '/buyer-accounts/:account_id',
  summary: 'Show an account that a buyer buys under: how it stands, what is bought, and who hears of it.',
  role: 'viewer',
  params: AccountParams,
  answer: BuyerAccountInFullView,
  async handle({ params: { account_id } }, deps) {
    const row = await deps.store.collection(Accounts).get(account_id);
    if (row === undefined) throw unknown();
    return accountInFull(deps, row);
  },
});

/** What is booked runs on; in the public protocol, nothing is booked or changed under one that is not active. */
export const moveBuyerAccount = operation({
  method: 'post',
  path: '/buyer-accounts/:account_id/move',
  summary: 'Move an account: only under an active one is anything booked or changed. Closed and rejected are for good.',
  role: 'admin',
  action: 'buyers.move_account',
  done: ({ status }) => `The account is ${status.replaceAll('_', ' ')} now.`,
  undo: 'buyers.move_account',
  asUndo: movedBack,
  concerns: ({ account_id }, { body: { status, reason } }) => ({ account_id, reason: `${status}: ${reason}` }),
  params: AccountParams,
  body: z.strictObject({
    status: AccountStatus,
    /** For the record; the buyer is told the state alone. */
    reason: Words,
  }),
  answer: BuyerAccountView.extend({
    /** How it stood before. */
    former_status: AccountStatus,
  }),
  async handle({ params: { account_id }, body: { status } }, deps) {
    const at = toTimestamp(deps.clock.now());
    let former_status: AccountStatus = status;
    const outcome = await deps.store.collection(Accounts).update(account_id, (row) => {
      former_status = row.status;
      return movedAccount(row, status, at);
    });
    if (outcome === undefined) throw unknown();
    return { ...(await oneAccountView(deps, outcome.row)), former_status };
  },
});

function unknown(): AppError {
  return new AppError('NOT_FOUND', 'no account has this id', { field: 'account_id' });
}

/** What moves it back, where that is told and it was moved; nothing does of one that is closed or rejected. */
function movedBack({ former_status, status }: Json): Json | undefined {
  if (former_status === undefined || former_status === status || status === 'closed' || status === 'rejected')
    return undefined;
  return { status: former_status, reason: 'the move was undone' };
}
