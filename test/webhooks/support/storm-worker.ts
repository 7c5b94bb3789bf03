import { setTimeout as delay } from 'node:timers/promises';
import { HURRY } from './hurried.ts';
import { openStormSender } from './storm-sender.ts';
import type { StormPlace } from './storm-sender.ts';

/** Delivers until it is killed, and queues again what is owed, as a worker's reconciler does. */
const { queues, webhooks } = await openStormSender(JSON.parse(process.env['STORM'] ?? '') as StormPlace);
webhooks.start({ concurrency: 64 });
process.stdout.write('{"ready":true}\n');
for (;;) {
  try {
    await webhooks.reconcile((await queues.wasFlushed()) ? 0 : 4_000 * HURRY);
  } catch {
    // Redis is being flushed or restarted: the next look finds it.
  }
  await delay(1000);
}
