import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../../src/main/config/config.ts';
import { compose } from '../../../src/main/wiring/compose.ts';
import type { Core } from '../../../src/main/wiring/compose.ts';
import { startWork } from '../../../src/main/wiring/worker-process.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { createLogger } from '../../../src/platform/log.ts';
import { dropStoreAt, freshDatabase } from '../../support/mongo-databases.ts';
import type { StoreKind } from '../../support/stores.ts';
import { openUnreliableAdServer } from './unreliable-ad-server.ts';
import type { UnreliableAdServer } from './unreliable-ad-server.ts';
import { THRESHOLD } from './walked-agent.ts';
import { onMongodb } from '../../support/mongo-settings.ts';

/** An hour of a flight is a second. */
const SIM_SPEED = 3_600;

/** An installation of several processes, by the real clock. */
export interface Together {
  /** What requests are sent to; it does no work. */
  core: Core;
  adServer: UnreliableAdServer;
  /** What other processes are started with. */
  env: Record<string, string>;
  close(): Promise<void>;
}

/**
 * @param workers how many processes of this program work.
 * @param settings leads to the ad server where it is told over HTTP; else every process of this program has it in itself.
 */
export async function openTogether(
  store: StoreKind,
  workers: number,
  settings?: (adServer: UnreliableAdServer) => Promise<Record<string, string>>,
): Promise<Together> {
  const dataDir = await mkdtemp(join(tmpdir(), 'media-buy-agent-walk-'));
  const mongodb = store === 'mongodb' ? freshDatabase() : undefined;
  const adServer = await openUnreliableAdServer(join(dataDir, 'ad-server.db'), systemClock, SIM_SPEED);
  const env = {
    DATA_DIR: dataDir,
    REDIS_URL: process.env['REDIS_TEST_URL'] ?? '',
    ALLOW_LOOPBACK: 'true',
    PUBLIC_URL: 'http://127.0.0.1:9',
    LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'silent',
    APPROVAL_OVER: `USD:${THRESHOLD}`,
    CREATIVE_REVIEW_SECONDS: '0',
    SIM_SPEED: String(SIM_SPEED),
    ...onMongodb(mongodb),
    ...(await settings?.(adServer)),
  };
  const config = readConfig(env, { allowLoopback: true });
  const its = {
    id: 'default',
    adServer: adServer.adServer,
    isSimulated: true,
    ringers: [],
    close: () => Promise.resolve(),
  };
  const options = { config, log: createLogger(config.logLevel), baseUrl: env.PUBLIC_URL };
  const open = () => compose({ ...options, ...(settings === undefined && { adServer: its }) });
  const core = await open();
  const others: { core: Core; work: ReturnType<typeof startWork> }[] = [];
  for (let n = 0; n < workers; n++) {
    const other = await open();
    others.push({ core: other, work: startWork(other) });
  }
  return {
    ...{ core, adServer, env },
    async close() {
      for (const { work } of others) await work.stop();
      for (const other of others) await other.core.close();
      await core.close();
      await adServer.close();
      if (mongodb !== undefined) await dropStoreAt(mongodb);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
