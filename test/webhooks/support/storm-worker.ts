import { setTimeout as delay } from 'node:timers/promises';
import { mortalAt, readFault } from '../../support/fault-point.ts';
import { HURRY } from './hurried.ts';
import { openStormSender, PROMPT } from './storm-sender.ts';
import type { StormPlace } from './storm-sender.ts';

/**
 * Delivers until it kills itself at the fault point in `CRASH_AT`, or for ever when there is none, and queues again what
 * is owed, as a worker's reconciler does.
 */
const mortal = mortalAt(readFault(process.env['CRASH_AT']));
const place = JSON.parse(process.env['STORM'] ?? '') as StormPlace;
const { queues, webhooks } = await openStormSender(place, mortal);
webhooks.start({ concurrency: PROMPT });
for (;;) {
  try {
    await webhooks.reconcile((await queues.wasFlushed()) ? 0 : 4_000 * HURRY);
  } catch {
    // Redis is being flushed or restarted: the next look finds it.
  }
  await delay(1000);
}
