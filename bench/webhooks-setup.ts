import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { randomIds, systemClock } from '../src/platform/clock.ts';
import { createEmbeddedStore } from '../src/platform/store/sqlite/collection-embedded.ts';
import type { TargetGate } from '../src/platform/redis/target-gate.ts';
import { createTargetGate } from '../src/platform/redis/target-gate-redis.ts';
import { createLogger } from '../src/platform/log.ts';
import type { Logger } from '../src/platform/log.ts';
import { createOutbound } from '../src/platform/outbound/outbound-client.ts';
import { usePrivateRedis } from '../src/platform/redis/private-redis.ts';
import { protocolNames } from '../src/platform/protocol-name.ts';
import type { Queues } from '../src/platform/queue/queue.ts';
import { createQueues } from '../src/platform/queue/queue-bullmq.ts';
import { sealer } from '../src/platform/crypto/sealer.ts';
import type { OutgoingEvent } from '../src/webhooks/delivery/create-delivery.ts';
import { mcpEnvelope } from '../src/webhooks/envelope/envelope-mcp.ts';
import { createWebhooks } from '../src/webhooks/webhooks.ts';
import type { Webhooks } from '../src/webhooks/webhooks.ts';
import { organizationId } from '../test/support/ids.ts';
import { countWrites } from './counted-writes.ts';
import type { ReceiversReport } from './webhooks-receivers.ts';

export interface Receivers {
  ports: number[];
  /** Lets the first so many ports never answer. */
  hang(count: number): void;
  /** Has all of them refuse connections, or listen again at the same ports. */
  setDown(down: boolean): Promise<void>;
  /** Processor time used so far, as of the last arrival, in microseconds. */
  cpuMicros(): number;
  /** Resolves when so many more webhooks have been answered. */
  answered(count: number): Promise<void>;
  /** What each answered webhook took from its making, since this was last asked. */
  takeLatencies(): number[];
  /** By how much each was made before the newest one that had arrived at its receiver, since this was last asked. */
  takeBehind(): number[];
  close(): void;
}

/** Receivers in a process of their own. */
export async function openReceivers(count: number): Promise<Receivers> {
  const entry = fileURLToPath(new URL('./webhooks-receivers.ts', import.meta.url));
  const child = fork(entry, [String(count)], { execArgv: ['--import', 'tsx'] });
  let arrived = 0;
  let latencies: number[] = [];
  let behind: number[] = [];
  let cpuMicros = 0;
  const heard: (() => void)[] = [];
  let turned: () => void = () => undefined;
  const [first] = (await once(child, 'message')) as [ReceiversReport];
  child.on('message', (message: ReceiversReport) => {
    if ('ports' in message) return;
    if ('isDown' in message) {
      turned();
      return;
    }
    cpuMicros = message.cpuMicros;
    arrived += message.arrived;
    latencies = latencies.concat(message.latenciesMs);
    behind = behind.concat(message.behindMs);
    for (const hear of heard.splice(0)) hear();
  });
  return {
    ports: 'ports' in first ? first.ports : [],
    hang: (hang) => child.send({ hang }),
    setDown: (down) =>
      new Promise((resolve) => {
        turned = resolve;
        child.send({ down });
      }),
    cpuMicros: () => cpuMicros,
    async answered(wanted) {
      const goal = arrived + wanted;
      while (arrived < goal) await new Promise<void>((resolve) => heard.push(resolve));
    },
    takeLatencies() {
      const taken = latencies;
      latencies = [];
      return taken;
    },
    takeBehind() {
      const taken = behind;
      behind = [];
      return taken;
    },
    close: () => {
      child.disconnect();
    },
  };
}

export interface BenchSender {
  webhooks: Webhooks;
  queues: Queues;
  gate: TargetGate;
  log: Logger;
  redisUrl: string;
  /** Rows written so far. */
  writes: () => number;
  close(): Promise<void>;
}

/** The sender as `npm start` has it: embedded store, private Redis with append-only file, gate, address guard. */
export async function openBenchSender(): Promise<BenchSender> {
  const dir = await mkdtemp(join(tmpdir(), 'mba-bench-'));
  const logger = createLogger('fatal');
  const redis = await usePrivateRedis({ dataDir: dir, logger });
  const at = { connection: redis.url, prefix: 'bench', logger };
  const { store, writes } = countWrites(createEmbeddedStore({ file: join(dir, 'store.db'), logger }));
  const queues = createQueues(at);
  const gate = createTargetGate(at);
  const outbound = createOutbound({ allowLoopback: true });
  const webhooks = createWebhooks({
    ...{ store, queues, gate, outbound, clock: systemClock, ids: randomIds, log: logger },
    sealer: sealer(randomUUID()),
    names: protocolNames(),
    identity: { publicBaseUrl: 'https://seller.example', name: 'Seller' },
    allowLoopback: true,
    allowLegacyBearer: false,
  });
  await store.prepare();
  await webhooks.keys.signer();
  return {
    ...{ webhooks, queues, gate, writes, log: logger },
    redisUrl: redis.url,
    async close() {
      await queues.close();
      await gate.close();
      await outbound.close();
      await store.close();
      await redis.release();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** A believable `completed` event to one receiver, with the time of its making inside. */
export function benchEvent(port: number): OutgoingEvent {
  const idempotency_key = randomUUID();
  const task_id = randomUUID();
  const packages = [1, 2, 3].map((n) => ({ package_id: `pkg-${n}`, product_id: 'ctv-prime', status: 'active' }));
  const result = { media_buy_id: `mb-${task_id}`, status: 'active', packages };
  const sent_at = performance.timeOrigin + performance.now();
  const envelope = mcpEnvelope({
    ...{ idempotency_key, task_id, operation_id: randomUUID(), task_type: 'create_media_buy', status: 'completed' },
    ...{ timestamp: new Date().toISOString(), message: 'media buy created', result, context: { sent_at } },
  });
  return {
    ...{
      idempotency_key,
      task_id,
      organization_id: organizationId('buyer'),
      task_type: 'create_media_buy',
      subject_id: null,
    },
    ...{ sequence: 2, event: 'completed', body: JSON.stringify(envelope) },
    target: { registration_id: 'r', url: `http://127.0.0.1:${port}/webhooks/media-buys`, mode: 'rfc9421' },
  };
}
