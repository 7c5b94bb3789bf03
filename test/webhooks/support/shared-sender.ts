import { randomIds, systemClock } from '../../../src/platform/clock.ts';
import { createLogger } from '../../../src/platform/log.ts';
import { createOutbound } from '../../../src/platform/outbound/outbound-client.ts';
import { protocolNames } from '../../../src/platform/protocol-name.ts';
import { createQueues } from '../../../src/platform/queue/queue-bullmq.ts';
import { createTargetGate } from '../../../src/platform/redis/target-gate-redis.ts';
import { sealer } from '../../../src/platform/crypto/sealer.ts';
import type { Store } from '../../../src/platform/store/collection.ts';
import { openStore } from '../../../src/platform/store/store.ts';
import { createWebhooks } from '../../../src/webhooks/webhooks.ts';
import type { Webhooks } from '../../../src/webhooks/webhooks.ts';

/** What several processes of one sender share. */
export interface SharedPlace {
  dataDir: string;
  redisUrl: string;
  prefix: string;
}

/** Longer than any test, in milliseconds: a receiver that hangs does so to the end. */
const FOR_EVER_MS = 3_600_000;

/** The sender as it is in one of several processes. */
export async function openSharedSender({ dataDir, redisUrl, prefix }: SharedPlace): Promise<{
  store: Store;
  webhooks: Webhooks;
  close(): Promise<void>;
}> {
  const logger = createLogger('silent');
  const at = { connection: redisUrl, prefix, logger };
  const store = await openStore({ dataDir, mongodbUrl: undefined, logger });
  const queues = createQueues(at);
  const gate = createTargetGate({ ...at, settings: { forgetAfterMs: FOR_EVER_MS } });
  const outbound = createOutbound({ allowLoopback: true, maxConnectionsPerOrigin: 256 });
  const webhooks = createWebhooks({
    ...{ store, queues, gate, outbound, clock: systemClock, ids: randomIds, log: logger },
    sealer: sealer('a secret of several processes, long enough'),
    names: protocolNames(),
    identity: { publicBaseUrl: 'https://seller.example', name: 'Seller' },
    allowLoopback: true,
    allowLegacyBearer: false,
    timeouts: { connectTimeoutMs: FOR_EVER_MS, totalTimeoutMs: FOR_EVER_MS },
  });
  await store.prepare();
  return {
    store,
    webhooks,
    async close() {
      await Promise.all([queues.close(), gate.close(), outbound.close()]);
      await store.close();
    },
  };
}
