import { z } from 'zod';
import { formatMoney } from '../../../platform/money.ts';
import { deliveredSoFar } from '../../../sales/delivery/delivered-so-far.ts';
import { BuyerAccount } from '../../../sales/account/account.ts';
import type { MediaBuy } from '../../../sales/media-buy/media-buy.ts';
import { NotificationConfigView } from '../../../webhooks/subscription/notification-config.ts';
import { subscribersView } from '../../../webhooks/subscription/subscription.ts';
import { BuyRowView, namesOf, toBuyRowView, whose } from '../buys/buy-view.ts';
import type { OperatorDeps } from '../operation.ts';

/** An account that a buyer buys under, as an operator sees it. */
export const BuyerAccountView = z
  .object(BuyerAccount.shape)
  .omit({
    ...{ revision: true, made_by: true, subscriptions: true, is_heard: true, untold: true, untold_since: true },
  })
  .extend({
    /** Absent: its organization is not there. */
    organization_name: BuyRowView.shape.organization_name,
    /** Whom what is bought under it is billed to. */
    billing: z.literal('operator'),
  });
export type BuyerAccountView = z.infer<typeof BuyerAccountView>;

/** So many media buys of an account are told of and summed, the newest. */
export const MOST_OF_ACCOUNT = 20;

/** An account with what is bought under it, and who hears of it. */
export const BuyerAccountInFullView = BuyerAccountView.extend({
  /** The newest 20. */
  media_buys: z.array(BuyRowView),
  has_more_buys: z.boolean(),
  /** By currency, of these media buys: how many, what is booked, and what they have spent. */
  money: z.array(z.object({ currency: z.string(), media_buys: z.int(), booked: z.number(), spent: z.number() })),
  /** Who hears of it by webhook. */
  notification_configs: z.array(NotificationConfigView),
});
export type BuyerAccountInFullView = z.infer<typeof BuyerAccountInFullView>;

/** Of rows that were read, each with its organization's name. */
export async function accountViews(
  { store }: Pick<OperatorDeps, 'store'>,
  rows: readonly BuyerAccount[],
): Promise<BuyerAccountView[]> {
  const names = await namesOf(
    store,
    rows.map(({ organization_id }) => organization_id),
  );
  return rows.map((row) => accountView(row, names));
}

function accountView(row: BuyerAccount, names: ReadonlyMap<string, string>): BuyerAccountView {
  const { account_id, organization_id, name, status, brand_domain, brand_id, operator, sandbox } = row;
  const { governance_agents, created_at, updated_at } = row;
  return {
    ...{ account_id, ...whose(organization_id, names), organization_id, name, status },
    ...{ brand_domain, brand_id, operator, sandbox },
    ...(governance_agents && { governance_agents }),
    ...{ billing: 'operator', created_at, updated_at },
  };
}

/** Of one row. */
export async function oneAccountView(
  { store }: Pick<OperatorDeps, 'store'>,
  row: BuyerAccount,
): Promise<BuyerAccountView> {
  return accountView(row, await namesOf(store, [row.organization_id]));
}

/** The account with the media buys under it and what they come to. */
export async function accountInFull(deps: OperatorDeps, account: BuyerAccount): Promise<BuyerAccountInFullView> {
  const { organization_id, account_id } = account;
  const { rows, cursor } = await deps.sales.mediaBuys.find({
    where: { organization_id, account_id },
    sort: { field: 'created_at', direction: 'desc' },
    limit: MOST_OF_ACCOUNT,
  });
  const [names, money] = await Promise.all([namesOf(deps.store, [organization_id]), moneyOf(deps, rows)]);
  return {
    ...accountView(account, names),
    media_buys: rows.map((buy) => toBuyRowView(buy, names)),
    has_more_buys: cursor !== undefined,
    money,
    notification_configs: subscribersView(account) ?? [],
  };
}

async function moneyOf({ sales }: OperatorDeps, buys: readonly MediaBuy[]): Promise<BuyerAccountInFullView['money']> {
  const sums = new Map<string, { media_buys: number; booked: number; spent: number }>();
  const spends = await Promise.all(
    buys.map(async (buy) => {
      const delivered = await deliveredSoFar(sales.facts, buy, sales.flightClock.now(buy));
      return [...delivered.values()].reduce((sum, { spend_minor }) => sum + spend_minor, 0);
    }),
  );
  for (const [i, { currency, total_budget_minor }] of buys.entries()) {
    const sum = sums.get(currency) ?? { media_buys: 0, booked: 0, spent: 0 };
    sums.set(currency, {
      media_buys: sum.media_buys + 1,
      booked: sum.booked + total_budget_minor,
      spent: sum.spent + (spends[i] ?? 0),
    });
  }
  return [...sums].map(([currency, { media_buys, booked, spent }]) => ({
    ...{ currency, media_buys, booked: formatMoney(booked, currency), spent: formatMoney(spent, currency) },
  }));
}
