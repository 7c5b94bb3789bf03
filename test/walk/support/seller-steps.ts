import { isAdServerFault } from '../../../src/sales/ad-server/faults.ts';
import type { Approval } from '../../../src/sales/approval/approval.ts';
import { decideOnCreative } from '../../../src/sales/creative/review/decide.ts';
import { BUYER } from '../../tasks/support/calls.ts';
import { buyOf, refusable } from './buyer-steps.ts';
import type { Buyer } from './buyer-steps.ts';
import { creativeIdOf } from './requests.ts';
import type { AdServerStep, SellerStep } from './step.ts';
import type { WalkedAgent } from './walked-agent.ts';

type At = Pick<WalkedAgent, 'core' | 'adServer'>;

/** Carries out what a person at the seller does; answers what became of it. */
export async function takeSellerStep({ core }: At, buyer: Buyer, step: SellerStep): Promise<string> {
  const { sales, approvals } = core;
  switch (step.do) {
    case 'approve':
    case 'reject': {
      const open = await openApprovals(core, buyer);
      const row = open[step.which % Math.max(1, open.length)];
      if (row === undefined) return 'nothing waits';
      const { approval_id } = row;
      const by = 'ann';
      return refusable(async () => {
        const { status } =
          step.do === 'approve'
            ? await approvals.approve(approval_id, { by })
            : await approvals.reject(approval_id, { by, reason: 'too much' });
        return `${approval_id} is ${status}`;
      });
    }
    case 'decide_creative': {
      const decision = {
        organization_id: BUYER.organization_id,
        creative_id: creativeIdOf(step.creative),
        to: step.to,
      };
      const more = step.to === 'approved' ? {} : { reason: 'no', reason_code: 'policy_violation' as const };
      return faultable(async () => `is ${(await decideOnCreative(sales, { ...decision, ...more })).status}`);
    }
  }
  const buy = buyOf(buyer, step.buy);
  if (buy === undefined) return 'there is no such buy';
  const { media_buy_id } = buy;
  switch (step.do) {
    case 'give_up':
      return faultable(async () => {
        const { status } = await sales.orders.giveUp(media_buy_id, { reason: 'gone', isForced: step.isForced });
        return `is ${status}`;
      });
    case 'push':
      return faultable(async () => `is ${(await sales.orders.push(media_buy_id)).status}`);
    case 'look':
      return faultable(async () => {
        await sales.orders.look(media_buy_id);
        return 'looked';
      });
  }
}

/** Those that wait for a person, in the order in which they were asked for, and not by their ids. */
export async function openApprovals({ sales }: At['core'], { asked }: Buyer): Promise<Approval[]> {
  const tasks = asked.flatMap(({ task_ids }) => task_ids);
  const { rows } = await sales.approvals.find({ where: { status: 'pending' }, limit: 1000 });
  const open = rows.filter(({ task_id }) => tasks.includes(task_id));
  return open.sort((a, b) => tasks.indexOf(a.task_id) - tasks.indexOf(b.task_id) || a.round - b.round);
}

/** Steers the ad server, and the way to it. */
export async function takeAdServerStep({ adServer }: At, buyer: Buyer, step: AdServerStep): Promise<string> {
  const { controls } = adServer.simulator;
  switch (step.do) {
    case 'link':
      adServer.link(step.to, step.times);
      return 'done';
    case 'pending':
      await controls.take({ pending_for_s: step.seconds });
      return 'done';
    case 'half_put':
      await controls.take({ stop_before_native_write: step.writes });
      return 'done';
    case 'late_put':
      return (await adServer.arriveLate(step.which)) ? 'arrived' : 'nothing is on its way';
    case 'lie':
      await controls.take({ lie: step.how });
      return 'done';
    case 'refuse': {
      const buy = step.buy === null ? undefined : buyOf(buyer, step.buy);
      if (step.buy !== null && buy === undefined) return 'there is no such buy';
      const reasons = [{ code: 'no_inventory' as const, pointer: '/lines', message: 'nothing is left' }];
      await controls.take({ refuse: buy === undefined ? null : { media_buy_id: buy.media_buy_id, reasons } });
      return 'done';
    }
    case 'trafficker': {
      const buy = buyOf(buyer, step.buy);
      if (buy === undefined) return 'there is no such buy';
      await controls.take({ trafficker: { media_buy_id: buy.media_buy_id, action: step.action } });
      return `done to ${buy.media_buy_id}`;
    }
  }
}

/** An answer that is a refusal, or a fault of the ad server, which whoever asked is told of. */
export async function faultable(ask: () => Promise<string>): Promise<string> {
  try {
    return await refusable(ask);
  } catch (error) {
    if (isAdServerFault(error)) return `fault ${error.name}: ${error.message}`;
    throw error;
  }
}
