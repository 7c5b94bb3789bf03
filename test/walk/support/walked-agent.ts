import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setMaxListeners } from 'node:events';
import { readConfig } from '../../../src/main/config/config.ts';
import { compose } from '../../../src/main/wiring/compose.ts';
import type { Core } from '../../../src/main/wiring/compose.ts';
import type { Ids } from '../../../src/platform/clock.ts';
import { createLogger } from '../../../src/platform/log.ts';
import type { Store } from '../../../src/platform/store/collection.ts';
import { testClock } from '../../directory/support/installation.ts';
import type { TestClock } from '../../directory/support/installation.ts';
import { dropStoreAt, freshDatabase } from '../../support/mongo-databases.ts';
import { chanceBy } from '../../support/chance.ts';
import { withStoreHooks } from '../../support/store-hooks.ts';
import type { StoreWrite } from '../../support/store-hooks.ts';
import type { StoreKind } from '../../support/stores.ts';
import { createFates } from './fated.ts';
import type { Fates } from './fated.ts';
import { openUnreliableAdServer } from './unreliable-ad-server.ts';
import type { UnreliableAdServer } from './unreliable-ad-server.ts';
import { onMongodb } from '../../support/mongo-settings.ts';

/** Far ahead, so that a store that drops old rows by its own clock drops none of these. */
const BEGIN = Date.parse('2041-03-07T09:17:23.456Z');
/** Above it a person approves; dollars. */
export const THRESHOLD = 20_000;

/** An agent that does nothing by itself, with a clock, ids and chance of the walk's own. */
export interface WalkedAgent {
  core: Core;
  clock: TestClock;
  adServer: UnreliableAdServer;
  fates: Fates;
  /** The store as it is, without anything done around its writes. */
  store: Store;
  close(): Promise<void>;
}

export const NEVER = new AbortController().signal;
setMaxListeners(0, NEVER);

/** @param afterWrite told of every write once it is on disk, before its writer learns so. */
export async function openWalkedAgent(
  kind: StoreKind,
  seed: string,
  afterWrite: (write: StoreWrite, store: Store) => Promise<void>,
): Promise<WalkedAgent> {
  const dataDir = await mkdtemp(join(tmpdir(), 'media-buy-agent-walk-'));
  const mongodb = kind === 'mongodb' ? freshDatabase() : undefined;
  const clock = testClock(BEGIN);
  const fates = createFates();
  const adServer = await openUnreliableAdServer(join(dataDir, 'ad-server.db'), clock);
  const sent = adServer.adServer;
  const put: typeof sent.put = async (order) => {
    await fates.point('put', 'before');
    const answer = await sent.put(order);
    await fates.point('put', 'after');
    return answer;
  };
  const env = {
    DATA_DIR: dataDir,
    REDIS_URL: process.env['REDIS_TEST_URL'] ?? '',
    ALLOW_LOOPBACK: 'true',
    PUBLIC_URL: 'http://127.0.0.1:9',
    APPROVAL_OVER: `USD:${THRESHOLD}`,
    CREATIVE_REVIEW_SECONDS: '30',
    ...onMongodb(mongodb),
  };
  const chance = chanceBy(`${seed}/product`);
  let stored: Store | undefined;
  const core = await compose({
    ...{ config: readConfig(env, { allowLoopback: true }), log: createLogger(process.env['WALK_LOG'] ?? 'silent') },
    ...{ baseUrl: env.PUBLIC_URL, clock, ids: seededIds(seed), chance: () => chance.between(0, 999) / 1000 },
    adServer: {
      id: 'default',
      adServer: { ...sent, put },
      isSimulated: true,
      ringers: [],
      close: () => Promise.resolve(),
    },
    wrapStore: (store) => {
      stored = store;
      return withStoreHooks(store, {
        before: () => fates.point('write', 'before'),
        after: async (write) => {
          await afterWrite(write, store);
          await fates.point('write', 'after');
        },
      });
    },
  });
  if (stored === undefined) throw new Error('the store was never opened');
  return {
    ...{ core, clock, adServer, fates, store: stored },
    async close() {
      await core.close();
      await adServer.close();
      if (mongodb !== undefined) await dropStoreAt(mongodb);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** UUIDs, the same in turn for the same seed. */
function seededIds(seed: string): Ids {
  let n = 0;
  return {
    newId() {
      const hex = createHash('sha256').update(`${seed}/id/${n++}`).digest('hex');
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
    },
  };
}
