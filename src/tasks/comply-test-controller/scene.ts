import type { Caller } from '../../directory/caller.ts';
import type { AccountKey, BuyerAccount } from '../../sales/account/account.ts';
import { MediaBuyId } from '../../sales/media-buy/media-buy-id.ts';
import type { MediaBuy } from '../../sales/media-buy/media-buy.ts';
import type { TaskDependencies } from '../dependencies.ts';
import type { TestedParts } from '../tested-parts.ts';
import { ControllerRefusal } from './refusal.ts';

/** What a scenario is played with. */
export interface Scene extends TaskDependencies {
  caller: Caller;
  /** The sandbox account that the test is under, where it names one. */
  account_id: string | undefined;
  /** What it is known by, where it is named so: it may have to be opened yet. */
  account_key: AccountKey | undefined;
  /** A random UUID. */
  newId: () => string;
  tested: TestedParts;
}

/** @throws {ControllerRefusal} `NOT_FOUND`; `FORBIDDEN` for an account that is no sandbox. */
export async function sandboxAccount({ accounts, caller }: Scene, account_id: string): Promise<BuyerAccount> {
  const account = await accounts.get(account_id);
  if (account?.organization_id !== caller.organization_id) {
    throw new ControllerRefusal('NOT_FOUND', `no account of yours has the id ${account_id}`);
  }
  if (!account.sandbox) throw liveAccount(`the account ${account_id}`);
  return account;
}

/** @throws {ControllerRefusal} `NOT_FOUND`; `FORBIDDEN` for one that was not booked under a sandbox account. */
export async function sandboxBuy(scene: Scene, media_buy_id: string): Promise<MediaBuy> {
  const { mediaBuys, caller } = scene;
  const buy = await mediaBuys.get(MediaBuyId.parse(media_buy_id));
  if (buy?.organization_id !== caller.organization_id) {
    throw new ControllerRefusal('NOT_FOUND', `no media buy of yours has the id ${media_buy_id}`);
  }
  if (buy.account_id === undefined) throw liveAccount(`the media buy ${media_buy_id}`);
  await sandboxAccount(scene, buy.account_id);
  return buy;
}

export function liveAccount(what: string): ControllerRefusal {
  return new ControllerRefusal(
    'FORBIDDEN',
    `${what} is of a live account; only what is of a sandbox account is tested`,
  );
}
