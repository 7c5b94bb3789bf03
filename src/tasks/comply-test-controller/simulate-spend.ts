import { z } from 'zod';
import { formatMoney, impressionsFor } from '../../platform/money.ts';
import { deliveredSoFar } from '../../sales/delivery/delivered-so-far.ts';
import type { MediaBuy } from '../../sales/media-buy/media-buy.ts';
import { playDelivery, rateOf } from './play-delivery.ts';
import type { LineShare } from './play-delivery.ts';
import { ControllerRefusal } from './refusal.ts';
import { scenario } from './scenario.ts';
import { sandboxAccount, sandboxBuy } from './scene.ts';
import type { Scene } from './scene.ts';

/** At most this many media buys of an account. */
const MOST_BUYS = 20;

/** Has the simulated ad server spend up to a share of the budget, of one media buy or of all of an account that go on. */
export const simulateBudgetSpend = scenario({
  name: 'simulate_budget_spend',
  params: z
    .looseObject({
      media_buy_id: z.string().max(128).optional(),
      account_id: z.string().max(256).optional(),
      spend_percentage: z.number().min(0).max(100),
    })
    .refine(({ media_buy_id, account_id }) => media_buy_id !== undefined || account_id !== undefined, {
      path: ['media_buy_id'],
      error: 'send media_buy_id or account_id',
    }),
  async play({ media_buy_id, account_id = '', spend_percentage }, scene) {
    const buys =
      media_buy_id === undefined ? await goingOn(scene, account_id) : [await sandboxBuy(scene, media_buy_id)];
    const [first] = buys;
    const { currency = 'USD' } = first ?? {};
    if (buys.some((buy) => buy.currency !== currency)) {
      throw new ControllerRefusal('INVALID_STATE', 'the media buys of the account are in several currencies');
    }
    let [spent, budget] = [0, 0];
    for (const buy of buys) {
      const shares = await sharesUpTo(scene, buy, spend_percentage / 100);
      if (shares.some(({ spend_minor }) => spend_minor > 0)) await playDelivery(scene, buy, shares);
      spent += Math.round((buy.total_budget_minor * spend_percentage) / 100);
      budget += buy.total_budget_minor;
    }
    const money = (minor: number) => ({ amount: formatMoney(minor, currency), currency });
    return { simulated: { spend_percentage, computed_spend: money(spent), budget: money(budget) } };
  },
});

/** What each line has yet to spend for a share of its budget. @throws {ControllerRefusal} `INVALID_STATE` where it is more already. */
async function sharesUpTo({ facts, flightClock }: Scene, buy: MediaBuy, share: number): Promise<LineShare[]> {
  const sums = await deliveredSoFar(facts, buy, flightClock.now(buy));
  return buy.packages.map((line) => {
    const spent = sums.get(line.package_id)?.spend_minor ?? 0;
    const spend_minor = Math.round(line.budget_minor * share) - spent;
    if (spend_minor < 0) {
      const why = `package ${line.package_id} has spent ${Math.floor((100 * spent) / line.budget_minor)} % already`;
      throw new ControllerRefusal('INVALID_STATE', why);
    }
    const rate = rateOf(line);
    const hasRate = line.pricing_model !== 'flat-fee' && rate > 0;
    return { line, clicks: 0, impressions: hasRate ? impressionsFor(spend_minor, rate) : 0, spend_minor };
  });
}

async function goingOn(scene: Scene, account_id: string): Promise<MediaBuy[]> {
  await sandboxAccount(scene, account_id);
  const { rows } = await scene.mediaBuys.find({
    where: { organization_id: scene.caller.organization_id, account_id, status: { in: ['active', 'paused'] } },
    limit: MOST_BUYS + 1,
  });
  if (rows.length <= MOST_BUYS && rows.length > 0) return rows;
  const why = rows.length === 0 ? 'no media buy that goes on' : `more than ${MOST_BUYS} media buys that go on`;
  throw new ControllerRefusal('INVALID_STATE', `the account has ${why}`);
}
