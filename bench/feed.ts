import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { feedEvents, publisherOf } from '../src/directory/feed/feed-event.ts';
import type { FeedEvent } from '../src/directory/feed/feed-event.ts';
import { authorizationSubject } from '../src/directory/feed/public-state.ts';
import { createLogger } from '../src/platform/log.ts';
import { usePrivateRedis } from '../src/platform/redis/private-redis.ts';
import { openStore } from '../src/platform/store/store.ts';
import { median } from './figures.ts';
import { startSide } from './sides.ts';
import type { Side } from './sides.ts';

const EVENTS = 100_000;
const ROUNDS = 5;
/** Promised for all of them, in milliseconds at the median. */
const LIMIT_MS = 1_000;

/**
 * How long somebody takes who has read nothing yet to read a hundred thousand events, page by page over HTTP on the embedded
 * store: by the feed, and by the snapshot. Against an Express handler that echoes the very same pages.
 */
export async function benchFeed(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'mba-bench-feed-'));
  const logger = createLogger('error');
  const redis = await usePrivateRedis({ dataDir, logger });
  const store = await openStore({ mongodbUrl: undefined, dataDir, logger });
  const events = store.collection(feedEvents);
  await store.prepare();
  await events.insertMany(Array.from({ length: EVENTS }, (_, i) => eventOf(i + 1)));
  await store.close();
  const env = { PORT: '0', DATA_DIR: dataDir, REDIS_URL: redis.url, TRUST_PROXY: '1', LOG_LEVEL: 'error' };
  const [ours, peer] = await Promise.all([
    startSide(['../src/main/server.ts', '--json'], env),
    startSide(['registry-echo.ts'], {}),
  ]);
  try {
    for (const path of ['/api/registry/feed', '/api/registry/feed/snapshot']) {
      const [took, peerTook]: [number[], number[]] = [[], []];
      for (let i = -1; i < ROUNDS; i++) {
        const { pages, ms } = await catchUp(ours, path);
        const peerMs = await echo(peer, pages);
        if (i >= 0) took.push(ms);
        if (i >= 0) peerTook.push(peerMs);
      }
      const [p50, peerP50] = [median(took), median(peerTook)];
      const verdict = p50 <= LIMIT_MS ? 'within' : 'OVER';
      console.log(
        `${`${EVENTS} events by ${path}`.padEnd(50)} p50 ${p50.toFixed(0)} ms  ${verdict} ${LIMIT_MS} ms   bare Express echo ${peerP50.toFixed(0)} ms   ratio ${(p50 / peerP50).toFixed(2)}`,
      );
    }
  } finally {
    await Promise.all([ours.stop(), peer.stop()]);
    await redis.release();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function catchUp(side: Side, path: string): Promise<{ pages: string[]; ms: number }> {
  const pages: string[] = [];
  const started = performance.now();
  for (let query: string | undefined = ''; query !== undefined;) {
    const response: Response = await fetch(`${side.url}${path}?limit=1000${query}`, {
      headers: { 'x-forwarded-for': `10.0.${pages.length}.1` },
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`the feed answered ${response.status}: ${text}`);
    const page = JSON.parse(text) as { cursor: string; has_more?: boolean; next_page?: string | null };
    const next = typeof page.next_page === 'string' ? `&page=${page.next_page}` : undefined;
    query = page.has_more === true ? `&cursor=${page.cursor}` : next;
    pages.push(text);
  }
  return { pages, ms: performance.now() - started };
}

/** The same, as the peer sends it; reading what came included. */
async function echo(side: Side, pages: readonly string[]): Promise<number> {
  const started = performance.now();
  for (const body of pages) {
    const response = await fetch(`${side.url}/echo`, { method: 'POST', body });
    JSON.parse(await response.text());
  }
  return performance.now() - started;
}

function eventOf(sequence: number): FeedEvent {
  const publisher_domain = `publisher-${sequence}.example`;
  const agent_url = 'https://agent.operator.example/a2a';
  const { kind, key } = authorizationSubject(publisher_domain, agent_url);
  const state = { publisher_domain, agent_url, authorized_for: 'all inventory', source: 'adagents_json' };
  const subject = `${kind}/${key}`;
  return {
    ...{ event_id: String(sequence).padStart(16, '0'), sequence, kind, subject, change: 'added' },
    ...{ state_json: JSON.stringify(state), type: `${kind}.added`, publisher_domain: publisherOf(subject) },
    ...{ occurred_at: new Date().toISOString(), revision: 1 },
  };
}
