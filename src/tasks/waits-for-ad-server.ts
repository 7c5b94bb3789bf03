import type { RunContext } from '../runtime/task-definition.ts';
import type { Courier } from '../sales/ad-order/courier.ts';
import { askedAgainMs } from '../sales/ad-order/wait.ts';
import type { MediaBuy } from '../sales/media-buy/media-buy.ts';

/** How a task waits for the ad server, until a time in milliseconds. */
export interface AdServerWait {
  waitUntil: number;
  waits_for?: 'ad_server';
}

/**
 * How a task waits for the ad server's answer, for its own change or one before it; says so once. Where the ad server only takes
 * its moment, or has another change of the buy before this one, it is not named: a caller may wait for that (rule T2.wait).
 */
export async function waitsForAdServer(
  { courier }: { courier: Pick<Courier, 'isHeldUp'> },
  buy: MediaBuy,
  context: Pick<RunContext, 'now' | 'step'>,
): Promise<AdServerWait> {
  await context.step({ current_step: 'waiting for the ad server', step_number: 2, total_steps: 2 });
  const waitUntil = askedAgainMs(buy, context.now());
  return (await courier.isHeldUp(buy)) ? { waitUntil, waits_for: 'ad_server' } : { waitUntil };
}
