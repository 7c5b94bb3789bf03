import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { freePorts } from './free-port.ts';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { createLogger } from '../../src/platform/log.ts';
import { redisBinary } from '../../src/platform/redis/private-redis/redis-binary.ts';
import { accepts } from './accepts.ts';
import { until } from './until.ts';

/** One master of a cluster. */
export interface ClusterNode {
  /** Asks this node itself. */
  redis: Redis;
  url: string;
  /** `kill -9`; all that it held is lost. */
  crash(): Promise<void>;
  /** Starts it again, with the same slots and none of its keys. */
  resume(): Promise<void>;
}

export interface OwnRedisCluster {
  nodes: readonly ClusterNode[];
  /** Resolves once all nodes say that all slots are served (`ok`), or that some are not (`fail`). */
  is(state: 'ok' | 'fail', nodes?: readonly ClusterNode[]): Promise<void>;
  stop(): Promise<void>;
}

const SLOTS = 16_384;
const NODES = 3;

/** A Redis Cluster of one test file's own: three masters on loopback that keep nothing on disk but who has which slots. */
export async function startOwnRedisCluster(): Promise<OwnRedisCluster> {
  const dir = await mkdtemp(join(tmpdir(), 'media-buy-agent-cluster-'));
  const ports = await freePorts(2 * NODES);
  const started = await Promise.all(
    Array.from({ length: NODES }, (_, n) => startNode(join(dir, String(n)), ports[n] ?? 0, ports[n + NODES] ?? 0)),
  );
  const nodes = started.map(({ node }) => node);
  for (const [n, { redis }] of nodes.entries()) {
    const first = Math.ceil((n * SLOTS) / NODES);
    await redis.call('CLUSTER', 'ADDSLOTSRANGE', first, Math.ceil(((n + 1) * SLOTS) / NODES) - 1);
    await redis.call('CLUSTER', 'SET-CONFIG-EPOCH', n + 1);
  }
  const [seed] = nodes;
  for (let n = 1; n < NODES; n++) {
    await seed?.redis.call('CLUSTER', 'MEET', '127.0.0.1', ports[n] ?? 0, ports[n + NODES] ?? 0);
  }
  const is: OwnRedisCluster['is'] = async (state, asked = nodes) => {
    for (const { redis } of asked) {
      await until(async () => {
        const told = String(await redis.call('CLUSTER', 'INFO'));
        return told.includes(`cluster_state:${state}`) && told.includes(`cluster_known_nodes:${NODES}`);
      });
    }
  };
  await is('ok');
  return {
    nodes,
    is,
    async stop() {
      for (const { node, end } of started) {
        node.redis.disconnect();
        await end();
      }
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function startNode(dir: string, port: number, busPort: number) {
  await mkdir(dir);
  let server: ChildProcess;
  const resume = async (): Promise<void> => {
    const cluster = ['--cluster-enabled', 'yes', '--cluster-port', String(busPort), '--cluster-node-timeout', '1000'];
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', dir, '--save', '', ...cluster];
    server = spawn(redisBinary(createLogger('warn')), args, { stdio: 'ignore' });
    await until(() => accepts({ host: '127.0.0.1', port }));
  };
  const crash = async (): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, 'exit');
    server.kill('SIGKILL');
    await exited;
  };
  await resume();
  const redis = new Redis({ host: '127.0.0.1', port, maxRetriesPerRequest: null, retryStrategy: () => 50 });
  redis.on('error', () => undefined);
  const node: ClusterNode = { redis, url: `redis://127.0.0.1:${port}`, crash, resume };
  return { node, end: crash };
}
