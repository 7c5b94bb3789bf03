import { setTimeout as pause } from 'node:timers/promises';
import { quantile } from './figures.ts';
import { openStoryReceiver } from './story-receiver.ts';
import { startOurs } from './story-sides.ts';

/** Calls a second, and how many: so few that nothing queues up. */
const RATE = 10;
const CALLS = 200;

/** What a webhook takes from the change of state that it tells (its `timestamp`) to its first byte at the receiver. */
export async function benchNews(): Promise<void> {
  const receiver = await openStoryReceiver();
  const agent = await startOurs('this agent');
  const tell = async (): Promise<void> => receiver.completed(await agent.ask(receiver.url));
  try {
    for (let n = 0; n < 50; n++) await tell(); // warms up
    receiver.takeNewsMs();
    const started = performance.now();
    const calls: Promise<void>[] = [];
    for (let n = 0; n < CALLS; n++) {
      await pause(Math.max(0, (n / RATE) * 1000 - (performance.now() - started)));
      calls.push(tell());
    }
    await Promise.all(calls);
    const news = receiver.takeNewsMs();
    const [p50, p99] = [quantile(news, 0.5), quantile(news, 0.99)].map((ms) => ms.toFixed(1));
    console.log(
      `state change to first byte at the receiver, ms    p50 ${p50}   p99 ${p99}   (${news.length} webhooks of ${RATE} calls/s)`,
    );
  } finally {
    await agent.stop();
    receiver.close();
  }
}
