import { z } from 'zod';
import type { Caller } from '../../../directory/caller.ts';
import { AppError } from '../../../platform/errors.ts';
import { isSeenUnder, seenUnder } from '../../../sales/account/account.ts';
import type { MediaBuy } from '../../../sales/media-buy/media-buy.ts';
import { accountIdFor } from '../accounts.ts';
import { AccountRef } from '../refs.ts';
import type { TranslatorSources } from '../sources.ts';
import { ourStatuses } from '../statuses.ts';
import type { PublicBuyStatus } from '../statuses.ts';
import { buyStatusOf, creativeStates } from './buy-facts.ts';

const PublicStatus = z.enum([
  ...['pending_creatives', 'pending_start', 'active', 'paused', 'completed', 'rejected', 'canceled'],
] as const satisfies readonly PublicBuyStatus[]);

/** Which media buys a read is about: the fields that all such reads share. */
export const BuysAsked = z.looseObject({
  account: AccountRef.optional(),
  media_buy_ids: z.array(z.string().max(255)).min(1).max(100).optional(),
  status_filter: z.union([PublicStatus, z.array(PublicStatus).min(1).max(20)]).optional(),
});
export type BuysAsked = z.infer<typeof BuysAsked>;

/** The same, looked up. */
export interface BuysWanted {
  /** Absent: those of all accounts. */
  account_id?: string;
  /** Absent: however they stand. Where none are named, those that are active. */
  statuses?: readonly PublicBuyStatus[];
}

/** @throws {AppError} for an account that is none of the caller's. */
export async function wantedBuys(sources: TranslatorSources, caller: Caller, asked: BuysAsked): Promise<BuysWanted> {
  const { account, media_buy_ids, status_filter } = asked;
  const named = status_filter === undefined ? undefined : [status_filter].flat();
  const statuses = named ?? (media_buy_ids === undefined ? (['active'] as const) : undefined);
  const account_id = account && (await accountIdFor(sources, caller, account));
  return { ...(account_id !== undefined && { account_id }), ...(statuses !== undefined && { statuses }) };
}

/** So many are told of in one answer. */
const MAX_BUYS = 100;
/** Of the newest buys that may be meant, so many pages are looked through. */
const MAX_PAGES = 10;

/** The buys of a read that names none. */
export interface StandingBuys {
  /** The newest first, at most 100. */
  buys: MediaBuy[];
  /** Older ones may stand so, too: the answer must say that it is not the whole. */
  isCut: boolean;
}

/** The buys of a read that names none, as many as one answer tells of. */
export async function standingBuys(
  sources: TranslatorSources,
  caller: Caller,
  wanted: BuysWanted,
): Promise<StandingBuys> {
  const { organization_id } = caller;
  const { account_id, statuses = [] } = wanted;
  const status = { in: ourStatuses(statuses) };
  const where = { organization_id, ...seenUnder(account_id), status };
  const sort = { field: 'created_at', direction: 'desc' } as const;
  const found: MediaBuy[] = [];
  let after: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const page = await sources.mediaBuys.find({ where, sort, limit: 100, ...(after !== undefined && { after }) });
    found.push(...(await amongThem(sources, page.rows, wanted)));
    after = page.cursor;
    if (found.length > MAX_BUYS || after === undefined) break;
  }
  return { buys: found.slice(0, MAX_BUYS), isCut: found.length > MAX_BUYS || after !== undefined };
}

/** Those of some buys that are wanted, in their order. */
export async function amongThem(
  sources: Pick<TranslatorSources, 'creatives'>,
  buys: readonly MediaBuy[],
  { account_id, statuses }: BuysWanted,
): Promise<MediaBuy[]> {
  const states = await creativeStates(sources, buys);
  return buys.filter((buy) => isSeenUnder(account_id, buy) && (statuses?.includes(buyStatusOf(buy, states)) ?? true));
}

/** @throws {AppError} `MEDIA_BUY_NOT_FOUND` for one that is named and is another account's. */
export function refuseOtherAccounts(
  ids: readonly string[],
  buys: readonly MediaBuy[],
  account_id: string | undefined,
): void {
  if (account_id === undefined) return;
  const others = new Set(buys.filter((buy) => !isSeenUnder(account_id, buy)).map((buy) => buy.media_buy_id as string));
  const foreign = ids.findIndex((id) => others.has(id));
  if (foreign === -1) return;
  const field = `media_buy_ids[${foreign}]`;
  throw new AppError('MEDIA_BUY_NOT_FOUND', `${field}: no media buy of this account has this id`, { field });
}
