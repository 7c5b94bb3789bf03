import { z } from 'zod';
import { cpmCost, parseMoney, sumMinor } from '../../platform/money.ts';
import type { MediaBuy } from '../../sales/media-buy/media-buy.ts';
import { cumulativeOf, playDelivery, rateOf, sharesOf, toldMeasure } from './play-delivery.ts';
import { ControllerRefusal } from './refusal.ts';
import { scenario } from './scenario.ts';
import { sandboxBuy } from './scene.ts';

const Count = z.int().min(0).max(1_000_000_000_000);

const SimulateDelivery = z.looseObject({
  media_buy_id: z.string().max(128),
  impressions: Count.default(0),
  clicks: Count.default(0),
  reported_spend: z.object({ amount: z.number().min(0).max(1_000_000_000), currency: z.string() }).optional(),
});
type SimulateDelivery = z.infer<typeof SimulateDelivery>;

/** Has the simulated ad server deliver: its statements, reports and webhooks say so as of any delivery. */
export const simulateDelivery = scenario({
  name: 'simulate_delivery',
  params: SimulateDelivery,
  async play(params, scene) {
    const buy = await sandboxBuy(scene, params.media_buy_id);
    const { impressions, clicks } = params;
    if (clicks > impressions) {
      throw new ControllerRefusal(
        'INVALID_PARAMS',
        'params.clicks: more clicks than impressions are believed of nobody',
      );
    }
    const before = await cumulativeOf(scene, buy);
    const spend_minor = spendOf(params, buy);
    const left_minor = buy.total_budget_minor - before.spend_minor;
    if (spend_minor > left_minor) {
      const left = toldMeasure({ impressions: 0, clicks: 0, spend_minor: Math.max(0, left_minor) }, buy.currency);
      const why = `params.reported_spend: only ${left.reported_spend.amount} ${buy.currency} of the budget is left`;
      throw new ControllerRefusal('INVALID_PARAMS', why);
    }
    const asked = { impressions, clicks, spend_minor };
    const now = await playDelivery(scene, buy, sharesOf(buy, asked));
    return {
      simulated: toldMeasure(asked, buy.currency),
      cumulative: toldMeasure(await cumulativeOf(scene, now), buy.currency),
      ...('conversions' in params && { message: 'conversions are not counted here' }),
    };
  },
});

/** As said; else what so many impressions cost. @throws {ControllerRefusal} `INVALID_PARAMS` for another currency. */
function spendOf({ reported_spend: said, impressions }: SimulateDelivery, buy: MediaBuy): number {
  if (said === undefined) {
    const shares = sharesOf(buy, { impressions, clicks: 0, spend_minor: 0 });
    const paid = shares.filter(({ line }) => line.pricing_model !== 'flat-fee');
    return sumMinor(paid.map((share) => cpmCost(share.impressions, rateOf(share.line))));
  }
  if (said.currency !== buy.currency) {
    throw new ControllerRefusal(
      'INVALID_PARAMS',
      `params.reported_spend.currency: the media buy is in ${buy.currency}`,
    );
  }
  const amount = parseMoney(said.amount, buy.currency, 'non-negative');
  if (amount.ok) return amount.minor;
  throw new ControllerRefusal('INVALID_PARAMS', `params.reported_spend.amount: ${amount.reason}`);
}
