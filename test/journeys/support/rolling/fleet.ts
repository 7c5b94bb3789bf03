import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle } from '../../../support/bundle.ts';
import { onMongodb } from '../../../support/mongo-settings.ts';
import type { StoreKind } from '../../../support/stores.ts';
import type { AgentAt, Json } from '../buyer.ts';
import { startChild } from '../child.ts';
import type { Child } from '../child.ts';
import { dropStoreAt, freshDatabase } from '../../../support/mongo-databases.ts';
import { openBalancer } from './balancer.ts';
import type { Balancer } from './balancer.ts';

/** Processes of one installation, servers behind a balancer. */
export interface Fleet {
  /** Where the balancer is, and a buyer's key. */
  agent: AgentAt;
  balancer: Balancer;
  /** Resolves once it is ready; a server, once requests go there. */
  start: (kind: 'server' | 'worker') => Promise<Child>;
  /** A call of the operator's API. @throws {Error} where it is refused. */
  operate: (method: string, path: string) => Promise<Json>;
}

/**
 * An installation of which no process has been started yet.
 * @param cleanUp gets what is to be done at the end, the last first.
 */
export async function openFleet(
  store: StoreKind,
  settings: Record<string, string>,
  cleanUp: (() => Promise<unknown>)[],
): Promise<Fleet> {
  const dataDir = await mkdtemp(join(tmpdir(), 'media-buy-agent-fleet-'));
  cleanUp.push(() => rm(dataDir, { recursive: true, force: true }));
  const mongodb = store === 'mongodb' ? freshDatabase() : undefined;
  if (mongodb !== undefined) cleanUp.push(() => dropStoreAt(mongodb));
  const balancer = await openBalancer();
  cleanUp.push(() => balancer.close());
  const [apiKey, operatorKey] = [`mk_live_${secret()}`, `op_live_${secret()}`];
  const env = {
    ...{ PORT: '0', DATA_DIR: dataDir, REDIS_URL: process.env['REDIS_TEST_URL'] ?? '', PUBLIC_URL: balancer.url },
    ...{ ALLOW_LOOPBACK: 'true', LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'silent' },
    ...{ BOOTSTRAP_API_KEY: apiKey, OPERATOR_API_KEY: operatorKey, CREATIVE_REVIEW_SECONDS: '0' },
    ...settings,
    ...onMongodb(mongodb),
  };
  return {
    agent: { baseUrl: balancer.url, apiKey },
    balancer,
    async start(kind) {
      const child = await startChild(await bundle(`src/main/${kind}.ts`), env, ['--json']);
      cleanUp.push(() => child.kill('SIGKILL'));
      if (kind === 'server') await balancer.add(addressOf(child));
      return child;
    },
    async operate(method, path) {
      const headers = { authorization: `Bearer ${operatorKey}`, 'content-type': 'application/json' };
      const body = method === 'POST' ? { body: '{}' } : {};
      const response = await fetch(`${balancer.url}/api/operator${path}`, { method, headers, ...body });
      const answer = (await response.json()) as Json;
      if (!response.ok) throw new Error(`${path} is answered ${response.status}: ${JSON.stringify(answer)}`);
      return answer;
    },
  };
}

/** Where a server listens: with `PUBLIC_URL`, it says only what it is called by. */
export function addressOf({ ready }: Child): string {
  return String(ready['listens_at']);
}

function secret(): string {
  return randomUUID().replaceAll('-', '') + randomUUID().replaceAll('-', '');
}
