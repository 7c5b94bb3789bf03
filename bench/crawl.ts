import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publishers } from '../src/directory/publisher/publisher.ts';
import { scheduleCheck } from '../src/directory/scheduled-check/scheduled-check.ts';
import { prepareCollections } from '../src/main/wiring/collections.ts';
import { eachAtOnce } from '../src/platform/each-at-once.ts';
import { systemClock } from '../src/platform/clock.ts';
import type { Clock } from '../src/platform/clock.ts';
import { createLogger } from '../src/platform/log.ts';
import { createOutbound } from '../src/platform/outbound/outbound-client.ts';
import type { Outbound } from '../src/platform/outbound/outbound-client.ts';
import { openStore } from '../src/platform/store/store.ts';
import type { Store } from '../src/platform/store/collection.ts';
import { crawlDue } from '../src/registry/periodic-jobs.ts';
import { startSide } from './sides.ts';

const PUBLISHERS = 500;
const AT_ONCE = 64;
const DAY_MS = 25 * 3_600_000;
/** Every twentieth publisher takes the request and never answers. */
const HANGING = 20;
/** Promised of healthy publishers while those hang, per second. */
const LEAST_RATE = 30;

/**
 * The schedule's crawl of many publishers that are due at once, 5 % of which hang, on a store as in production; against a loop that
 * fetches the files of the healthy ones alone, as many at once, and keeps nothing. The publishers are another process, each a
 * host of its own.
 */
export async function benchCrawl(): Promise<void> {
  const side = await startSide(['crawl-publishers.ts'], {});
  const port = new URL(side.url).port;
  const dataDir = await mkdtemp(join(tmpdir(), 'mba-bench-crawl-'));
  const logger = createLogger('error');
  const store = await openStore({ mongodbUrl: undefined, dataDir, logger });
  const outbound = createOutbound({
    allowLoopback: true,
    resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
  });
  try {
    await prepareCollections(store);
    const all = Array.from({ length: PUBLISHERS }, (_, n) => n);
    const healthy = all.filter((n) => n % HANGING !== 0);
    const bareRate = await rateOf(healthy.length, () =>
      eachAtOnce(healthy, AT_ONCE, async (n) => {
        const answer = await outbound.fetchJson(urlOf(n, port), { maxBytes: 1_000_000, redirects: 3 });
        if (answer.kind !== 'response' || answer.json === undefined) throw new Error(`a fetch ended as ${answer.kind}`);
      }),
    );
    for (const n of all) await scheduleCheck({ store, clock: systemClock }, 'adagents', domainOf(n));
    for (const [what, aheadMs] of [
      ['first crawls', 0],
      ['crawls a day later', DAY_MS],
    ] as const) {
      const clock = { now: () => Date.now() + aheadMs };
      const rate = await crawlHealthy({ store, clock, outbound }, port, healthy.length);
      const verdict = rate >= LEAST_RATE ? 'kept' : 'MISSED';
      console.log(
        `${what}, ${100 / HANGING} % of publishers hanging`.padEnd(52),
        `${rate}/s   fetching alone ${bareRate}/s   ×${(bareRate / rate).toFixed(1)}   promised ${LEAST_RATE}/s: ${verdict}`,
      );
    }
  } finally {
    await outbound.close();
    await store.close();
    await side.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Until the last healthy one is taken over; those that hang are broken off then. */
async function crawlHealthy(
  deps: { store: Store; clock: Clock; outbound: Outbound },
  port: string,
  count: number,
): Promise<number> {
  const stop = new AbortController();
  let taken = 0;
  const quiet = createLogger('error');
  const changeSignal = {
    publish: () => Promise.resolve(),
    subscribe: () => Promise.resolve(() => undefined),
    close: () => Promise.resolve(),
  };
  const log = Object.assign(Object.create(quiet) as typeof quiet, {
    info(line: { result: string }) {
      if (line.result === 'read' && ++taken === count) stop.abort();
    },
  });
  const adAgentsUrl = (domain: string) => urlOf(Number(/\d+/.exec(domain)?.[0]), port);
  const rate = await rateOf(count, () =>
    crawlDue({ ...deps, log, changeSignal, adAgentsUrl }, stop.signal).then(() => undefined),
  );
  const known = await deps.store.collection(publishers).count({ source: 'adagents_json' });
  if (known !== count) throw new Error(`${known} publishers are known of ${count}`);
  return rate;
}

async function rateOf(count: number, work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return Math.round((count / (performance.now() - began)) * 1000);
}

function domainOf(n: number): string {
  return `publisher-${n}.example`;
}

/** Each at a host of its own, as publishers are. */
function urlOf(n: number, port: string): string {
  return `http://publisher-${n}.localhost:${port}${n % HANGING === 0 ? '/hangs' : `/${n}`}`;
}
