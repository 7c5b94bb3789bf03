import { Redis } from 'ioredis';
import { benchEvent, openBenchSender } from './webhooks-setup.ts';

/**
 * How long the queue takes to be what the store says, after Redis has lost everything (FLUSHALL): 12,500, 25,000, 50,000 and
 * 100,000 deliveries that are owed, to 50 receivers, none of them due yet. Time and processor time of the one process that rebuilds; its
 * Redis is not counted. Recording the deliveries is outside the clock. Twice as many should take twice as long.
 */
export async function benchFlush(): Promise<void> {
  for (const count of [12_500, 25_000, 50_000, 100_000]) {
    const sender = await openBenchSender();
    const redis = new Redis(sender.redisUrl.replace('unix://', ''));
    try {
      for (let n = 0; n < count; n += 500)
        await sender.webhooks.send(Array.from({ length: 500 }, (_, i) => benchEvent(9_000 + ((n + i) % 50))));
      await redis.flushall();
      const usage = process.cpuUsage();
      const started = performance.now();
      const found = await sender.webhooks.reconcile(0);
      const seconds = (performance.now() - started) / 1000;
      const { user, system } = process.cpuUsage(usage);
      const cpu = (user + system) / 1e6;
      if (found !== count) throw new Error(`${found} of ${count} deliveries were found`);
      console.log(
        `${String(count).padStart(7)} owed: queued again in ${seconds.toFixed(1)} s, cpu ${cpu.toFixed(1)} s, ${((cpu / count) * 1e6).toFixed(0)} µs each`,
      );
    } finally {
      redis.disconnect();
      await sender.close();
    }
  }
}
