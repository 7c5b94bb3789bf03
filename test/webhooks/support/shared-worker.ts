import { openSharedSender } from './shared-sender.ts';
import type { SharedPlace } from './shared-sender.ts';

/** Delivers until it is killed. */
const { webhooks } = await openSharedSender(JSON.parse(process.env['PLACE'] ?? '') as SharedPlace);
webhooks.start({ concurrency: 64 });
