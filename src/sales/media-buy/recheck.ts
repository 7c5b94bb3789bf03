import { canonicalJson } from '../../platform/crypto/canonical-json.ts';
import { toTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Collection } from '../../platform/store/collection.ts';
import type { Creative } from '../creative/creative.ts';
import { creativesNamed } from '../creative/creative-library.ts';
import { findImpairments } from '../impairment/detect.ts';
import type { Impairment } from '../impairment/impairment.ts';
import { listOpenImpairments, settleImpairments } from '../impairment/settle.ts';
import type { ImpairmentHook } from '../impairment/settle.ts';
import type { Outage } from '../property/outage.ts';
import type { MediaBuyId } from './media-buy-id.ts';
import type { MediaBuy } from './media-buy.ts';
import type { AdOrderRow } from '../ad-order/ad-order-row.ts';
import type { Courier } from '../ad-order/courier.ts';
import { hasOpen } from '../ad-order/open.ts';
import { settled } from '../ad-order/settled.ts';

export interface RecheckDependencies {
  clock: Clock;
  mediaBuys: Collection<MediaBuy>;
  creatives: Collection<Creative>;
  impairments: Collection<Impairment>;
  /** What was last seen of each order at the ad server. */
  adOrders: Collection<AdOrderRow>;
  /** Tells the ad server what a recheck changes. */
  courier: Pick<Courier, 'look' | 'tell'>;
  onImpairment?: ImpairmentHook;
  /** Products that cannot run at all for their properties, by id; absent where properties are not watched. */
  readOutages?: (product_ids: readonly string[]) => Promise<ReadonlyMap<string, Outage[]>>;
}

/** By name. */
type Library = ReadonlyMap<string, Creative>;

/** Rounds in which others may change the same buy and creatives before a recheck gives up. */
const MAX_ROUNDS = 25;

/**
 * Looks at a buy again after one of its creatives, or the creatives it names, may have changed: what it waits for, whether
 * it can begin, and what impairs it. Repeatable. Ends with the buy and its creatives as they stood at one time.
 * Answers the buy, or undefined when there is none.
 */
export async function recheckMediaBuy(
  deps: RecheckDependencies,
  media_buy_id: MediaBuyId,
): Promise<MediaBuy | undefined> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const buy = await deps.mediaBuys.get(media_buy_id);
    if (buy === undefined) return undefined;
    const open = await listOpenImpairments(deps.impairments, media_buy_id);
    const library = await libraryOf(deps, buy);
    if (!(await isSettled(deps, buy))) continue;
    const outages = await outagesOf(deps, buy);
    const lines = (await deps.adOrders.get(media_buy_id))?.lines;
    const findings = findImpairments(buy, (ref) => library.get(ref), outages, lines);
    const at = toTimestamp(deps.clock.now());
    await settleImpairments(deps.impairments, buy, { findings, open, at }, deps.onImpairment);
    if (!(await holds(deps, buy, library, outages))) continue;
    return buy;
  }
  throw new Error(`media buy ${media_buy_id} did not hold still for ${MAX_ROUNDS} rounds`);
}

/** The creatives a buy names. */
function libraryOf({ creatives }: RecheckDependencies, { organization_id, packages }: MediaBuy): Promise<Library> {
  const refs = packages.flatMap(({ creative_ids }) => creative_ids);
  return creativesNamed(creatives, organization_id, refs);
}

type ProductOutages = ReadonlyMap<string, Outage[]>;

async function outagesOf({ readOutages }: RecheckDependencies, { packages }: MediaBuy): Promise<ProductOutages> {
  return (await readOutages?.(packages.map(({ product_id }) => product_id))) ?? new Map<string, Outage[]>();
}

/**
 * Whether the buy waits for what it says, and the ad server has been told. Otherwise it is written and told now, which may
 * take long: the buy is to be looked at anew.
 */
async function isSettled({ mediaBuys, courier }: RecheckDependencies, buy: MediaBuy): Promise<boolean> {
  const next = settled(buy, await courier.look(buy));
  if (next === undefined) return true;
  const written = await mediaBuys.replace(next);
  if (written && hasOpen(written)) await courier.tell(buy.media_buy_id, { inHand: true });
  return false;
}

/** Whether what was decided upon still stands. */
async function holds(
  deps: RecheckDependencies,
  seen: MediaBuy,
  library: Library,
  outages: ProductOutages,
): Promise<boolean> {
  const buy = await deps.mediaBuys.get(seen.media_buy_id);
  if (buy?.row_version !== seen.row_version) return false;
  if (canonicalJson([...(await outagesOf(deps, buy))]) !== canonicalJson([...outages])) return false;
  const now = await libraryOf(deps, buy);
  return [...new Set([...library.keys(), ...now.keys()])].every(
    (ref) => library.get(ref)?.status === now.get(ref)?.status,
  );
}
