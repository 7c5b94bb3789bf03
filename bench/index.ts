import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { benchA2a } from './a2a.ts';
import { benchBacklog } from './backlog.ts';
import { benchConsole } from './console.ts';
import { benchCrawl } from './crawl.ts';
import { benchFairness } from './fairness.ts';
import { benchFeed } from './feed.ts';
import { benchFlush } from './flush.ts';
import { benchGrowth } from './growth.ts';
import { benchIntake } from './intake.ts';
import { benchNews } from './news.ts';
import { benchOutbound } from './outbound.ts';
import { benchRanking } from './ranking.ts';
import { benchSales } from './sales.ts';
import { benchSeed } from './seed.ts';
import { benchSeveral } from './several.ts';
import { benchScale } from './scale.ts';
import { benchStart } from './start.ts';
import { benchStories } from './stories.ts';
import { benchWebhooks } from './webhooks.ts';
import { benchWrites } from './writes.ts';

/** How often the event loop is looked at. */
const LOOK_EVERY_MS = 10;

/** Every benchmark by name, in the order `npm run bench` runs them; `npm run bench -- NAME` runs one. */
const BENCHES = {
  stories: benchStories,
  several: benchSeveral,
  news: benchNews,
  webhooks: benchWebhooks,
  a2a: benchA2a,
  sales: benchSales,
  fairness: benchFairness,
  writes: benchWrites,
  scale: benchScale,
  feed: benchFeed,
  seed: benchSeed,
  crawl: benchCrawl,
  ranking: benchRanking,
  intake: benchIntake,
  outbound: benchOutbound,
  backlog: benchBacklog,
  start: benchStart,
  growth: benchGrowth,
  console: benchConsole,
  flush: benchFlush,
} satisfies Record<string, (options: { rows?: string; list?: string }) => Promise<void>>;

const { positionals: wanted, values: options } = parseArgs({
  allowPositionals: true,
  options: { rows: { type: 'string' }, list: { type: 'string' } },
});
const unknown = wanted.filter((name) => !(name in BENCHES));
if (unknown.length > 0) {
  console.error(`no benchmark is called ${unknown.join(', ')}; there are ${Object.keys(BENCHES).join(', ')}`);
  process.exit(2);
}
for (const [name, bench] of Object.entries(BENCHES)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.log(`\n${name}`);
  const delay = monitorEventLoopDelay({ resolution: LOOK_EVERY_MS });
  delay.enable();
  await bench(options);
  delay.disable();
  console.log(`longest that this process was held up: ${(delay.max / 1e6 - LOOK_EVERY_MS).toFixed(0)} ms`);
}
process.exit(0);
