import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compose } from '../../../src/main/wiring/compose.ts';
import { readConfig } from '../../../src/main/config/config.ts';
import type { Config } from '../../../src/main/config/config-shape.ts';
import { followAddress } from '../../../src/main/process/follow-address.ts';
import type { Workable } from '../../../src/main/process/follow-address.ts';
import { addressBook } from '../../../src/main/process/known-address.ts';
import { startServer } from '../../../src/main/wiring/start-server.ts';
import { openWorker, startWork } from '../../../src/main/wiring/worker-process.ts';
import { createLogger } from '../../../src/platform/log.ts';
import { openStore } from '../../../src/platform/store/store.ts';
import { RUN_QUEUE } from '../../../src/runtime/dependencies.ts';
import { TaskRuns } from '../../../src/runtime/task-run.ts';
import { BUYER } from '../../tasks/support/calls.ts';
import { until } from '../../support/until.ts';

const log = createLogger('silent');
/** What HOST and PORT make a worker guess. */
const GUESS = 'http://127.0.0.1:8123';

let config: Config;
const cleanUp: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'media-buy-agent-address-'));
  cleanUp.push(() => rm(dataDir, { recursive: true, force: true }));
  const REDIS_URL = process.env['REDIS_TEST_URL'] ?? '';
  config = readConfig({ DATA_DIR: dataDir, REDIS_URL, PORT: '8123' }, { allowLoopback: true });
});
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

async function openServer() {
  const server = await startServer({ ...config, port: 0 }, log);
  cleanUp.push(() => server.stop());
  const { core } = server;
  const row = async (task_id: string) => {
    const run = await core.store.collection(TaskRuns).get(task_id);
    if (run === undefined) throw new Error(`there is no task ${task_id}`);
    return run;
  };
  return {
    core,
    row,
    /** A task whose answer depends on the address: creatives in formats of this server. */
    sync: async (): Promise<string> => {
      const input = core.runtime.tasks.get('sync_creatives')?.examples[0]?.input ?? {};
      const { run } = await core.runtime.submit({ caller: BUYER, task_type: 'sync_creatives', input });
      return run.task_id;
    },
    completed: async (task_id: string): Promise<string> => {
      const run = await until(async () => {
        const stored = await row(task_id);
        return stored.state === 'completed' && stored;
      });
      return JSON.stringify(run.events.at(-1));
    },
  };
}

describe('a turn', () => {
  it('is never run under an address that is not the newest: it is handed back, uncounted, to a worker that knows it', async () => {
    const old = await compose({ config, log, baseUrl: GUESS });
    cleanUp.push(() => old.close());
    const { core, row, sync, completed } = await openServer();
    const work = startWork(old);
    cleanUp.push(() => work.stop());
    const task_id = await sync();
    // Handed back, a job is delayed; taken, the task moves.
    await until(
      async () =>
        (await row(task_id)).state !== 'submitted' || (await core.queues.queue(RUN_QUEUE).counts()).delayed > 0,
    );
    expect(await row(task_id)).toMatchObject({ state: 'submitted', turn: 0, faults: 0, revision: 1 });
    const newest = startWork(core);
    cleanUp.push(() => newest.stop());
    expect(await completed(task_id)).not.toContain('"failed"');
    expect(await row(task_id)).toMatchObject({ turn: 0, faults: 0 });
  });

  it('of a worker that came before the first server waits for that server’s address', async () => {
    const worker = await followAddress(config, log, (baseUrl) => openWorker(() => compose({ config, log, baseUrl })));
    cleanUp.push(() => worker.stop());
    const { sync, completed } = await openServer();
    expect(await completed(await sync())).not.toContain('"failed"');
  });

  it('of a server that is found at another address after a restart is run under that', async () => {
    const first = await openServer();
    const worker = await followAddress(config, log, (baseUrl) => openWorker(() => compose({ config, log, baseUrl })));
    cleanUp.push(() => worker.stop());
    expect(await first.completed(await first.sync())).not.toContain('"failed"');
    const second = await openServer();
    expect(second.core.baseUrl).not.toBe(first.core.baseUrl);
    expect(await second.completed(await second.sync())).not.toContain('"failed"');
  });
});

describe('without PUBLIC_URL, what follows the address', () => {
  const openBook = async () => {
    const store = await openStore({ dataDir: config.dataDir, mongodbUrl: undefined, logger: log });
    cleanUp.push(() => store.close());
    const book = addressBook(store);
    await store.prepare();
    return book;
  };

  /** Opens nothing, and notes what it was told to do. */
  function recorder(failures = 0) {
    const done: string[] = [];
    const open = (baseUrl: string): Promise<Workable> => {
      if (done.length > 0 && failures-- > 0) return Promise.reject(new Error('not today'));
      done.push(`open ${baseUrl}`);
      return Promise.resolve({
        work: () => done.push(`work ${baseUrl}`),
        stop: () => {
          done.push(`stop ${baseUrl}`);
          return Promise.resolve();
        },
      });
    };
    return { done, open };
  }

  it('is opened under the guess, works once a server has said the same, and is opened anew for another', async () => {
    const book = await openBook();
    const { done, open } = recorder();
    const following = await followAddress(config, log, open);
    cleanUp.push(() => following.stop());
    expect(done).toEqual([`open ${GUESS}`]);
    await book.say(GUESS);
    await until(() => done.length === 2);
    await book.say('http://127.0.0.1:9');
    await until(() => done.length === 5);
    const other = ['open http://127.0.0.1:9', 'work http://127.0.0.1:9'];
    expect(done).toEqual([`open ${GUESS}`, `work ${GUESS}`, `stop ${GUESS}`, ...other]);
  });

  it('works from the start under what a server has said before', async () => {
    await (await openBook()).say('http://127.0.0.1:9');
    const { done, open } = recorder();
    const following = await followAddress(config, log, open);
    expect(done).toEqual(['open http://127.0.0.1:9', 'work http://127.0.0.1:9']);
    await following.stop();
    expect(done.at(-1)).toBe('stop http://127.0.0.1:9');
  });

  it('is opened again after a failure, be it under the address it had before', async () => {
    const book = await openBook();
    await book.say(GUESS);
    const { done, open } = recorder(1);
    const following = await followAddress(config, log, open);
    cleanUp.push(() => following.stop());
    await book.say('http://127.0.0.1:9');
    await until(() => done.includes(`stop ${GUESS}`));
    await book.say(GUESS);
    await until(() => done.length > 3 && done.at(-1) === `work ${GUESS}`);
  });
});

it('with PUBLIC_URL, every turn is run under that without the store being asked', async () => {
  const publicUrl = 'https://sales.publisher.example';
  const core = await compose({ config: { ...config, publicUrl }, log, baseUrl: publicUrl });
  await core.store.close();
  expect(await core.isNewestAddress()).toBe(true);
  await core.close();
});
