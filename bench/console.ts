import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { signalOf } from '../src/admin/live-topics.ts';
import { ensureDemoKey } from '../src/directory/bootstrap.ts';
import { readConfig } from '../src/main/config/config.ts';
import { agentClient } from '../src/main/demo/agent-client.ts';
import { startServer } from '../src/main/wiring/start-server.ts';
import type { Core } from '../src/main/wiring/compose.ts';
import { createLogger } from '../src/platform/log.ts';
import { usePrivateRedis } from '../src/platform/redis/private-redis.ts';
import { visitorOf } from '../test/admin/console/support/visitor.ts';
import type { Visitor } from '../test/admin/console/support/visitor.ts';
import { quantile } from './figures.ts';
import { seedBuyers, seedDeliveries, seedReceivers, seedStories, watchLoop } from './growth-rows.ts';

const CALLS = 30;
/** Of the lists with these rows: 95 % within so many milliseconds, and never the event loop held up for longer. */
const AIM = { p95: 150, stall: 25 };
const LISTS = [
  ...['/', '/buys', '/tasks', '/approvals', '/creatives', '/webhooks', '/webhooks/receivers', '/buyers', '/audit'],
  ...['/registry', '/registry/agents', '/people', '/catalog', '/search?q=story'],
];
/** A person may have ten streams, a process 200. */
const TABS = 200;
const TABS_EACH = 10;
const OPEN_CONSOLES = 10;
const READS = 1_000;
/** Buyers and receivers: as many as a page of theirs has. */
const ON_A_PAGE = 50;

/**
 * What the console's lists cost with 100,000 tasks, media buys and webhooks stored (`--rows`): each page, each filter that it links to, and
 * its second page. Then what a buyer's read costs while ten consoles are open and fetch what has changed, beside none; and the memory of
 * 200 open tabs, their clients' sockets in it, which are in the same process.
 */
export async function benchConsole({ rows = '100000', list: only }: { rows?: string; list?: string }): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'mba-bench-console-'));
  const log = createLogger('error');
  const redis = await usePrivateRedis({ dataDir: dir, logger: log });
  const env = { PORT: '0', DATA_DIR: dir, REDIS_URL: redis.url, LOG_LEVEL: 'error' };
  const server = await startServer(readConfig(env, { allowLoopback: true }), log);
  const { core } = server;
  try {
    await seedStories(core, 0, Number(rows));
    await seedDeliveries(core, Number(rows));
    await seedBuyers(core, ON_A_PAGE);
    await seedReceivers(core, ON_A_PAGE);
    const agent = { core, baseUrl: core.baseUrl };
    const visitor = await visitorOf(agent, 'admin');
    console.log(`${rows} tasks, media buys and webhooks, embedded store`);
    for (const list of LISTS.filter((one) => only === undefined || one === only)) await measureList(visitor, list);
    if (only !== undefined) return;
    const { key } = await ensureDemoKey(core, core.secret);
    await measureBuyers(core, key, visitor);
    await measureTabs(core.baseUrl, () => visitorOf(agent, 'viewer'));
  } finally {
    await server.stop();
    await redis.release();
    await rm(dir, { recursive: true, force: true });
  }
}

async function measureList(visitor: Visitor, list: string): Promise<void> {
  const { html } = await visitor.get(list);
  const [path = list] = list.split('?');
  const links = [...html.matchAll(/href="\/admin([^"]*)"/g)].map(([, href = '']) => href.replaceAll('&#38;', '&'));
  const own = links.filter((href) => href.startsWith(`${path}?`));
  for (const page of new Set([list, ...own])) report(page, await timed(() => visitor.get(page)));
}

function report(page: string, { took, stall }: Timed): void {
  const p95 = quantile(took, 0.95);
  const isWithin = p95 <= AIM.p95 && stall <= AIM.stall;
  const shown = page.length > 60 ? `${page.slice(0, 59)}…` : page;
  console.log(
    `  ${shown.padEnd(60)} p50 ${quantile(took, 0.5).toFixed(1).padStart(6)} ms  p95 ${p95.toFixed(1).padStart(6)} ms  loop ${stall.toFixed(0).padStart(3)} ms${isWithin ? '' : '   over the aim'}`,
  );
}

interface Timed {
  took: number[];
  stall: number;
}

async function timed(call: (i: number) => Promise<{ status: number } | undefined>, calls = CALLS): Promise<Timed> {
  for (let i = 0; i < 3; i++) await call(i);
  const took: number[] = [];
  const stop = watchLoop();
  for (let i = 0; i < calls; i++) {
    const started = performance.now();
    const answer = await call(i);
    took.push(performance.now() - started);
    if (answer !== undefined && answer.status !== 200) throw new Error(`a page answered ${answer.status}`);
  }
  return { took, stall: stop() };
}

/** What buyers notice of consoles that are open while tasks change. */
async function measureBuyers(core: Core, key: string, visitor: Visitor): Promise<void> {
  const { baseUrl } = core;
  const client = agentClient(baseUrl, key);
  const read = async () => {
    await client.send('get_media_buys', { limit: 20 });
    return undefined;
  };
  const alone = await timed(read, READS);
  let fetched = 0;
  const streams = Array.from({ length: OPEN_CONSOLES }, () =>
    openStream(baseUrl, visitor, 'tasks,buys,deliveries', (text) => {
      if (!text.includes('event: ring')) return;
      fetched += 1;
      void visitor.get('/tasks?state=completed');
    }),
  );
  // Tasks that change all the time; each console hears of it once a second.
  const changes = setInterval(() => void core.changeSignal.publish(signalOf('tasks'), randomUUID()), 50);
  await Promise.all(streams.map(({ opened }) => opened));
  const beside = await timed(read, READS);
  clearInterval(changes);
  for (const { socket } of streams) socket.destroy();
  const [without, withThem] = [quantile(alone.took, 0.95), quantile(beside.took, 0.95)];
  console.log(
    `  a buyer's read, p95: ${without.toFixed(1)} ms alone, ${withThem.toFixed(1)} ms beside ${OPEN_CONSOLES} open consoles that fetched ${fetched} pages (${(withThem / without).toFixed(2)}; aim 1.2)`,
  );
}

async function measureTabs(baseUrl: string, newVisitor: () => Promise<Visitor>): Promise<void> {
  const visitors = await Promise.all(Array.from({ length: TABS / TABS_EACH }, newVisitor));
  const before = settledBytes();
  const streams = visitors.flatMap((visitor) =>
    Array.from({ length: TABS_EACH }, () => openStream(baseUrl, visitor, 'tasks,buys', () => undefined)),
  );
  const statuses = await Promise.all(streams.map(({ opened }) => opened));
  const grown = (settledBytes() - before) / 1e6;
  const one = openStream(baseUrl, await newVisitor(), 'tasks', () => undefined);
  const refused = await one.opened;
  for (const { socket } of [...streams, one]) socket.destroy();
  const open = statuses.filter((status) => status === 200).length;
  console.log(`  ${open} tabs: ${grown.toFixed(1)} MB more in use (aim 50); the next one: ${refused}`);
}

/** What this process uses of memory, once what it does not need is collected. */
function settledBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** A stream of the console over a bare socket, which costs this process little; resolves with its status. */
function openStream(
  baseUrl: string,
  { cookie }: Visitor,
  topics: string,
  heard: (text: string) => void,
): { socket: Socket; opened: Promise<number> } {
  const { hostname, port, host } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  socket.setEncoding('utf8');
  socket.write(
    `GET /admin/live?topics=${topics}&t=${randomUUID()} HTTP/1.1\r\nHost: ${host}\r\nCookie: ${cookie}\r\n\r\n`,
  );
  const opened = new Promise<number>((resolve, reject) => {
    socket.once('data', (text) => {
      resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(String(text))?.[1]));
    });
    socket.once('error', reject);
  });
  socket.on('data', (text) => {
    heard(String(text));
  });
  return { socket, opened };
}
