import { toTimestamp } from '../../platform/clock.ts';
import type { TaskRun } from '../../runtime/task-run.ts';
import { settled } from '../../sales/ad-order/settled.ts';
import type { MediaBuy } from '../../sales/media-buy/media-buy.ts';
import type { MediaBuyPackage } from '../../sales/media-buy/media-buy-package.ts';
import { lookedAtSoon } from '../../sales/media-buy/looked-at-soon.ts';
import { packageId } from '../../sales/media-buy/package-id.ts';
import { isTerminalBuy, transitionBuy } from '../../sales/media-buy/transitions.ts';
import type { TaskDependencies } from '../dependencies.ts';
import { mediaBuyIdOf, newMediaBuy } from './new-media-buy.ts';
import { planMediaBuy, planProblems } from './plan.ts';
import type { CreateMediaBuyRequest, PackageRequest } from './schema.ts';

/**
 * Ends what a create that was canceled or has failed had begun: the buy is canceled, and the ad server told so. Where there is no
 * buy yet, a canceled one takes its place, so that a late turn of the task makes none. Repeatable.
 */
export async function undoBuy(deps: TaskDependencies, request: CreateMediaBuyRequest, run: TaskRun): Promise<void> {
  const media_buy_id = mediaBuyIdOf(run.task_id);
  for (;;) {
    const buy = await deps.mediaBuys.get(media_buy_id);
    if (buy === undefined) {
      const tombstone = canceled(blankBuy(deps, request, run), deps, run);
      const { inserted } = await deps.mediaBuys.insert(deps.flights.opened(tombstone));
      if (inserted) return;
      continue;
    }
    if (isTerminalBuy(buy.status)) break;
    const look = await deps.courier.look(buy);
    const over = lookedAtSoon(buy, canceled(buy, deps, run), look.at);
    if ((await deps.mediaBuys.replace(settled(over, look) ?? over)) !== undefined) break;
  }
  const told = await deps.courier.tell(media_buy_id, { own: run.task_id, inHand: true });
  if (told !== undefined) await deps.flights.open(told);
}

function canceled(buy: MediaBuy, { clock }: TaskDependencies, { state, task_id }: TaskRun): MediaBuy {
  const at = toTimestamp(clock.now());
  const actor = state === 'canceled' ? 'buyer' : 'system';
  return transitionBuy(buy, 'canceled', { at, action: 'canceled', actor, task_id });
}

/**
 * The row that stands in the place of the buy, as it was asked for and under the account it was. Where the catalog, which may be another by now, has that no more, it
 * says the products and no amounts: nothing was booked. Whose creatives it would have named is not looked up.
 */
function blankBuy({ catalog, clock }: TaskDependencies, request: CreateMediaBuyRequest, run: TaskRun): MediaBuy {
  const { task_id, organization_id, created_at, spoken } = run;
  const order = atAnyPrice(request);
  const [nowMs, askedMs] = [clock.now(), Date.parse(created_at)];
  const isSold = planProblems(order, { catalog, nowMs: askedMs }).length === 0;
  const plan = isSold ? planMediaBuy(order, catalog, askedMs) : { ...NO_PLAN, startMs: nowMs, endMs: nowMs };
  const nameOf = (creative_id: string) => creative_id;
  const row = newMediaBuy(order, plan, { task_id, organization_id, nowMs, needsApproval: false, spoken, nameOf });
  if (isSold) return row;
  return { ...row, packages: order.packages.map((one, i) => blankPackage(one, packageId(row.media_buy_id, i + 1))) };
}

/** A buy has a currency, also where nothing is known of it. */
const NO_PLAN = { packages: [], currency: 'USD', total_budget_minor: 0 };

/** The request without the prices that it counts on, which may be why nothing was booked. */
function atAnyPrice(request: CreateMediaBuyRequest): CreateMediaBuyRequest {
  return { ...request, packages: request.packages.map(({ currency: _currency, price: _price, ...one }) => one) };
}

function blankPackage(
  { product_id, pricing_option_id, buyer_ref }: PackageRequest,
  package_id: string,
): MediaBuyPackage {
  return {
    ...{ package_id, buyer_ref: buyer_ref ?? null, product_id, product_name: product_id, pricing_option_id },
    ...{ delivery_type: 'non_guaranteed' as const, pricing_model: 'cpm' as const, budget_minor: 0 },
    ...{ price_minor: null, floor_minor: null, bid_price_minor: null, min_spend_minor: null },
    ...{ targeting_overlay: null, creative_ids: [], paused: false },
  };
}
