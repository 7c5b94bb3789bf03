import type { RunContext } from '../runtime/task-definition.ts';
import { askedAgainMs } from '../sales/ad-order/wait.ts';
import type { MediaBuy } from '../sales/media-buy/media-buy.ts';

/** How a task waits for the ad server's answer, for its own change or one before it; says so once. */
export async function waitsForAdServer(buy: MediaBuy, context: RunContext): Promise<{ waitUntil: number }> {
  await context.step({ current_step: 'waiting for the ad server', step_number: 2, total_steps: 2 });
  return { waitUntil: askedAgainMs(buy, context.now()) };
}
