import { randomIds } from '../../../src/platform/clock.ts';
import { createTargetGate } from '../../../src/platform/redis/target-gate-redis.ts';
import { createLogger } from '../../../src/platform/log.ts';
import { createOutbound } from '../../../src/platform/outbound/outbound-client.ts';
import { createQueues } from '../../../src/platform/queue/queue-bullmq.ts';
import type { Queues } from '../../../src/platform/queue/queue.ts';
import { sealer } from '../../../src/platform/crypto/sealer.ts';
import { openStore } from '../../../src/platform/store/store.ts';
import type { Store } from '../../../src/platform/store/collection.ts';
import { protocolNames } from '../../../src/platform/protocol-name.ts';
import { createWebhooks } from '../../../src/webhooks/webhooks.ts';
import type { Webhooks } from '../../../src/webhooks/webhooks.ts';
import type { Mortal } from '../../support/fault-point.ts';
import { HURRY, hurriedClock, hurriedQueues } from './hurried.ts';

/** Attempts that one worker has in hand at most: prompt ones, and half as many late ones beside them. */
export const PROMPT = 64;
export const IN_HAND = PROMPT + PROMPT / 2;

/** What every process of one storm shares. */
export interface StormPlace {
  dataDir: string;
  mongodbUrl?: string;
  redisUrl: string;
  beganMs: number;
}

export interface StormSender {
  store: Store;
  queues: Queues;
  webhooks: Webhooks;
  close(): Promise<void>;
}

/** The real sender in hurried time: store, queue and gate shared by all processes of the place. May be a mortal one. */
export async function openStormSender(place: StormPlace, mortal?: Mortal): Promise<StormSender> {
  const { dataDir, mongodbUrl, redisUrl, beganMs } = place;
  const logger = createLogger('silent');
  const clock = hurriedClock(beganMs);
  const opened = await openStore({ dataDir, mongodbUrl, logger });
  const store = mortal?.wrapStore(opened) ?? opened;
  const queues = createQueues({ connection: redisUrl, prefix: 'storm', logger });
  const unlimited = { ratePerSecond: 1_000_000, originRatePerSecond: 1_000_000 };
  const settings = { slowAfterMs: 1000 * HURRY, forgetAfterMs: 4_000 * HURRY, ...unlimited };
  const gate = createTargetGate({ connection: redisUrl, prefix: 'storm', logger, settings });
  const way = createOutbound({ allowLoopback: true });
  const outbound = mortal?.wrapOutbound(way) ?? way;
  const webhooks = createWebhooks({
    store,
    queues: hurriedQueues(queues),
    gate,
    outbound,
    clock,
    ids: randomIds,
    log: logger,
    sealer: sealer('a secret of the storm, long enough for it'),
    names: protocolNames(),
    identity: { publicBaseUrl: 'https://seller.example', name: 'Seller' },
    allowLoopback: true,
    allowLegacyBearer: false,
  });
  await store.prepare();
  return {
    store,
    queues,
    webhooks,
    async close() {
      await Promise.all([queues.close(), gate.close(), outbound.close()]);
      await store.close();
    },
  };
}
