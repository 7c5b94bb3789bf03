import { pino } from 'pino';
import { opening } from '../../../src/main/process/closers.ts';
import { readConfig } from '../../../src/main/config/config.ts';
import { startServer } from '../../../src/main/wiring/start-server.ts';
import { startWork } from '../../../src/main/wiring/worker-process.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { openOldReceivers } from './old-receivers.ts';
import type { Arrival } from './old-receivers.ts';
import { readPromises } from './promises.ts';
import type { Promises } from './promises.ts';
import { machineTurn } from './machine-turn.ts';
import { restore } from './restore.ts';

/** The present code on what a release left, and everybody that it owes something to. */
export interface OldAgent extends TestAgent {
  promises: Promises;
  received: readonly Arrival[];
  /** Of every stored row that the present code could not read so far: where it stands and what does not fit. */
  setAside: readonly SetAside[];
}

interface SetAside {
  collection: string;
  key: string;
  problems: string[];
}

/**
 * By when the present code starts: every retry that the release had put off is due, the key that it had published ahead
 * signs, and nothing that lives for a quarter of an hour has expired.
 */
const LATER_MS = 12 * 60_000;

/**
 * Starts a server on a copy of a release's data, its clock going on from soon after the release was killed; the work begins
 * when it is asked for.
 */
export function startOldAgent(
  release: string,
  { store, withRedis }: { store: Promises['store']; withRedis: boolean },
): Promise<OldAgent> {
  const promises = readPromises(release, store);
  const startedMs = Date.now();
  const clock = { now: () => Date.parse(promises.killed_at) + LATER_MS + Date.now() - startedMs };
  return opening(async (closers) => {
    closers.add(await machineTurn());
    const urls = promises.deliveries.map(({ url }) => url);
    const receivers = await openOldReceivers(urls, () => clock.now());
    closers.add(() => receivers.close());
    const data = await restore(release, promises, withRedis);
    closers.add(() => data.remove());
    const config = readConfig(data.env, { allowLoopback: true });
    const setAside: SetAside[] = [];
    const log = pino(
      { level: process.env['TEST_LOG_LEVEL'] ?? 'error' },
      {
        write: (line) => {
          heard(line, setAside);
        },
      },
    );
    const server = await startServer(config, log, { clock });
    closers.add(() => server.stop());
    await data.dropExpiry();
    let work: ReturnType<typeof startWork> | undefined;
    closers.add(async () => work?.stop());
    return {
      promises,
      received: receivers.received,
      setAside,
      core: server.core,
      baseUrl: server.core.baseUrl,
      apiKey: promises.api_key,
      env: data.env,
      work() {
        work ??= startWork(server.core);
      },
      stop: () => closers.close(),
    };
  });
}

/** The log tells of each such row when it is met, before the reader has its answer. */
function heard(line: string, setAside: SetAside[]): void {
  if (process.env['TEST_LOG_LEVEL'] !== undefined) process.stderr.write(line);
  const { msg, collection, key, problems } = JSON.parse(line) as SetAside & { msg: string };
  if (msg.endsWith('is set aside')) setAside.push({ collection, key, problems });
}
