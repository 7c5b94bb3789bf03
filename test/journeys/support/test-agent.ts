import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiKeys, createApiKey } from '../../../src/directory/api-key/api-key.ts';
import { ensureDemoOrganization } from '../../../src/directory/bootstrap.ts';
import { readConfig } from '../../../src/main/config/config.ts';
import type { ComposeOptions, Core } from '../../../src/main/wiring/compose.ts';
import { startServer } from '../../../src/main/wiring/start-server.ts';
import { startWork } from '../../../src/main/wiring/worker-process.ts';
import { createLogger } from '../../../src/platform/log.ts';
import type { Logger } from '../../../src/platform/log.ts';
import { dropStoreAt, emptyDatabase, giveBackDatabase } from '../../support/mongo-databases.ts';
import type { StoreKind } from '../../support/stores.ts';
import { LONG_MS } from '../../support/until.ts';
import { onMongodb } from '../../support/mongo-settings.ts';

export type { StoreKind } from '../../support/stores.ts';

export interface TestAgent {
  core: Core;
  baseUrl: string;
  apiKey: string;
  /** What other processes of the same installation are started with. */
  env: Record<string, string>;
  /** Starts doing the work in this process, until the agent is stopped. */
  work(): void;
  stop(): Promise<void>;
}

export interface TestAgentOptions extends Pick<ComposeOptions, 'answerWaitMs' | 'clock' | 'wrapStore'> {
  env?: Record<string, string>;
  /** Whether it does the work too. */
  working?: boolean;
  /** Where it logs; default: as `LOG_LEVEL` says. */
  log?: Logger;
}

/** A server on throw-away storage, in this process; workers are started apart. */
export async function startTestAgent(
  store: StoreKind,
  { env: extra = {}, working = true, log, ...options }: TestAgentOptions = {},
): Promise<TestAgent> {
  const dataDir = await mkdtemp(join(tmpdir(), 'media-buy-agent-journey-'));
  const mongodb = store === 'mongodb' ? emptyDatabase() : undefined;
  const env = {
    PORT: '0',
    DATA_DIR: dataDir,
    REDIS_URL: process.env['REDIS_TEST_URL'] ?? '',
    ALLOW_LOOPBACK: 'true',
    DRAIN_SECONDS: '0',
    LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'silent',
    ...onMongodb(mongodb),
    ...extra,
  };
  const config = readConfig(env, { allowLoopback: true });
  // What is worked on here is answered when it is done, however slow the machine.
  const waits = working && { answerWaitMs: LONG_MS };
  const server = await startServer(config, log ?? createLogger(config.logLevel), { ...waits, ...options });
  const { core } = server;
  const apiKey = await newBuyer(core);
  let work: ReturnType<typeof startWork> | undefined;
  // Whatever another process still writes, nobody else's test may find.
  let mayBeShared = false;
  const agent: TestAgent = {
    core,
    baseUrl: core.baseUrl,
    apiKey,
    get env() {
      mayBeShared = true;
      return { ...env, PUBLIC_URL: core.baseUrl };
    },
    work() {
      work ??= startWork(core);
    },
    async stop() {
      await work?.stop();
      await server.stop();
      if (mongodb !== undefined) await (mayBeShared ? dropStoreAt : giveBackDatabase)(mongodb);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
  if (working) agent.work();
  return agent;
}

/** A key of the demo organization. */
async function newBuyer(core: Core): Promise<string> {
  const { organization_id } = await ensureDemoOrganization(core);
  const { raw } = await createApiKey(
    { ...core, keys: core.store.collection(apiKeys) },
    { organization_id, name: 'test' },
  );
  return raw;
}
