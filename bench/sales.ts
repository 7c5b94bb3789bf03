import { randomUUID } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import MiniSearch from 'minisearch';
import mongoose from 'mongoose';
import { ensureDemoKey } from '../src/directory/bootstrap.ts';
import { readConfig } from '../src/main/config/config.ts';
import type { Core } from '../src/main/wiring/compose.ts';
import { agentClient } from '../src/main/demo/agent-client.ts';
import { startServer } from '../src/main/wiring/start-server.ts';
import type { StartedServer } from '../src/main/wiring/start-server.ts';
import { toTimestamp } from '../src/platform/clock.ts';
import { DAY_MS, HOUR_MS } from '../src/platform/hours.ts';
import { createLogger } from '../src/platform/log.ts';
import { usePrivateRedis } from '../src/platform/redis/private-redis.ts';
import { readDelivery } from '../src/sales/delivery/read-delivery.ts';
import { recordDelivery } from '../test/sales/support/record-delivery.ts';
import type { Product } from '../src/sales/product/product.ts';
import { sampleMediaBuy } from '../test/sales/support/sample-media-buy.ts';
import { mediaBuyId, organizationId } from '../test/support/ids.ts';

const PRODUCTS = 10_000;
const PACKAGES = 50;
const DAYS = 365;
const CALLS = 40;
/** Promised, in milliseconds at the median of a call over HTTP. */
const LIMITS = { get_products: 50, get_media_buy_delivery: 100 };
const BRIEFS = [
  'Video and CTV for outdoor enthusiasts in the US, launching trail-running shoes this spring',
  'home cooks and families with recipes for our pasta sauce, display and newsletters',
  'IT buyers: cloud and security software, podcasts or sponsored content in the UK',
  'reach commuters with streaming audio and podcasts, 30 second spots, mobile display for retargeting',
];

/**
 * How long a buyer waits, over HTTP, for products among ten thousand and for a year's daily delivery of a buy with fifty
 * packages, on each store there is; against MiniSearch over the same texts and against adding up the hours.
 */
export async function benchSales(): Promise<void> {
  const url = process.env['MONGODB_TEST_URL'];
  await onStore('sqlite', {});
  if (url === undefined) {
    console.log('MongoDB: not measured; set MONGODB_TEST_URL');
    return;
  }
  const mongodb = new URL(url);
  mongodb.pathname = `/bench_${randomUUID().slice(0, 8)}`;
  try {
    await onStore('mongodb', { MONGODB_URL: mongodb.href, SECRET_KEY: 'the secret of a bench that seals nothing' });
  } finally {
    const connection = await mongoose.createConnection(mongodb.href).asPromise();
    await connection.dropDatabase();
    await connection.close();
  }
}

async function onStore(store: string, extra: Record<string, string>): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'mba-bench-sales-'));
  const log = createLogger('error');
  const redis = await usePrivateRedis({ dataDir: dir, logger: log });
  const CATALOG_DIR = await largeCatalog(dir);
  const env = { PORT: '0', DATA_DIR: dir, REDIS_URL: redis.url, CATALOG_DIR, LOG_LEVEL: 'error', ...extra };
  const server = await startServer(readConfig(env, { allowLoopback: true }), log);
  try {
    await measureProducts(store, server.core, await clientOf(server));
    await measureDelivery(store, server.core, await clientOf(server));
  } finally {
    await server.stop();
    await redis.release();
    await rm(dir, { recursive: true, force: true });
  }
}

type Client = ReturnType<typeof agentClient>;

async function clientOf({ core }: StartedServer): Promise<Client> {
  return agentClient(core.baseUrl, (await ensureDemoKey(core, core.secret)).key);
}

/** The shipped catalog, its products repeated under other names until there are {@link PRODUCTS}. */
async function largeCatalog(dir: string): Promise<string> {
  const folder = join(dir, 'catalog');
  await mkdir(folder);
  await cp(fileURLToPath(new URL('../catalog', import.meta.url)), folder, { recursive: true });
  const file = join(folder, 'products.json');
  const shipped = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>[];
  const products = Array.from({ length: PRODUCTS }, (_, i) => {
    const product = shipped[i % shipped.length] ?? {};
    const edition = Math.floor(i / shipped.length);
    const { product_id, name } = product as { product_id: string; name: string };
    return { ...product, product_id: `${product_id}_${edition}`, name: `${name}, edition ${wordFor(edition)}` };
  });
  await writeFile(file, JSON.stringify(products));
  return folder;
}

function wordFor(n: number): string {
  return n.toString(26).replaceAll(/[0-9a-p]/g, (digit) => String.fromCharCode(97 + Number.parseInt(digit, 26)));
}

async function measureProducts(store: string, { catalog }: Core, client: Client): Promise<void> {
  const ours = await timed((i) => client.send('get_products', { brief: BRIEFS[i % BRIEFS.length] }));
  const all = [...catalog.products.values()];
  const peer = new MiniSearch<Product & { id: string; text: string }>({ fields: ['name', 'description', 'text'] });
  peer.addAll(all.map((product) => ({ ...product, id: product.product_id, text: JSON.stringify(product.targeting) })));
  const search = (i: number) => Promise.resolve(peer.search(BRIEFS[i % BRIEFS.length] ?? '').slice(0, 50));
  const theirs = await timed(search, 8);
  report(`get_products of ${PRODUCTS}, ${store}`, ours, LIMITS.get_products, 'MiniSearch, search alone', theirs);
}

async function measureDelivery(store: string, core: Core, client: Client): Promise<void> {
  const { sales } = core;
  const endMs = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const range = { fromMs: endMs - DAYS * DAY_MS, untilMs: endMs };
  const media_buy_id = await yearOfDelivery(sales, range);
  const date_range = { start: toTimestamp(range.fromMs), end: toTimestamp(range.untilMs) };
  const input = { media_buy_id, granularity: 'daily', date_range };
  const ours = await timed(() => client.send('get_media_buy_delivery', input));
  const byHour = await timed(() => readDelivery(sales.facts, media_buy_id, range, 'hour'), 8);
  const what = `delivery of a year, ${PACKAGES} packages, ${store}`;
  report(what, ours, LIMITS.get_media_buy_delivery, 'reading every hour, alone', byHour);
}

/** A buy of the demo organization whose packages delivered in every hour of a range; answers its id. */
async function yearOfDelivery(sales: Core['sales'], { fromMs, untilMs }: { fromMs: number; untilMs: number }) {
  const sample = sampleMediaBuy();
  const media_buy_id = mediaBuyId(`mb_${randomUUID()}`);
  const packages = Array.from({ length: PACKAGES }, (_, i) => ({
    ...(sample.packages[i % 2] ?? sample.packages[0]),
    package_id: `${media_buy_id}_p${i + 1}`,
  })) as typeof sample.packages;
  const times = { start_time: toTimestamp(fromMs), end_time: toTimestamp(untilMs), created_at: toTimestamp(fromMs) };
  await sales.mediaBuys.insert({
    ...sample,
    ...times,
    media_buy_id,
    organization_id: organizationId('org_demo_buyer'),
    packages,
  });
  for (let dayMs = fromMs; dayMs < untilMs; dayMs += DAY_MS) {
    const hours = packages.flatMap(({ package_id }, p) =>
      Array.from({ length: 24 }, (_, hour) => ({
        ...{ package_id, hour: toTimestamp(dayMs + hour * HOUR_MS) },
        ...{ impressions: 1_000 + hour * p, spend_minor: 650 + hour * p, clicks: p },
      })),
    );
    await recordDelivery(sales.facts, media_buy_id, { hours, corrections: [] }, toTimestamp(untilMs));
  }
  return media_buy_id;
}

interface Figures {
  median: number;
  p95: number;
  /** Processor time of a call, client and server together: what is left of the wait on a machine with nothing else to do. */
  cpu: number;
}

/** One call after the other, after a few that warm up. */
async function timed(call: (i: number) => Promise<unknown>, calls = CALLS): Promise<Figures> {
  for (let i = 0; i < Math.min(10, calls); i++) await call(i);
  const took: number[] = [];
  const before = process.cpuUsage();
  for (let i = 0; i < calls; i++) {
    const started = performance.now();
    await call(i);
    took.push(performance.now() - started);
  }
  const { user, system } = process.cpuUsage(before);
  took.sort((a, b) => a - b);
  const at = (share: number) => took[Math.min(took.length - 1, Math.floor(took.length * share))] ?? NaN;
  return { median: at(0.5), p95: at(0.95), cpu: (user + system) / 1000 / calls };
}

function report(what: string, ours: Figures, limitMs: number, peer: string, theirs: Figures): void {
  const verdict = ours.median <= limitMs ? 'within' : 'OVER';
  console.log(
    `${what.padEnd(44)} p50 ${ours.median.toFixed(1)} ms p95 ${ours.p95.toFixed(1)} ms cpu ${ours.cpu.toFixed(1)} ms  ${verdict} ${limitMs} ms   ${peer} ${theirs.median.toFixed(1)} ms   ratio ${(theirs.median / ours.median).toFixed(2)}`,
  );
}
