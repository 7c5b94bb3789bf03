import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import type { BrowserContext } from 'playwright-core';
import { createLogger } from '../../src/platform/log.ts';
import { usePrivateRedis } from '../../src/platform/redis/private-redis.ts';
import { startSession } from '../../src/admin/session.ts';
import { operate } from '../journeys/support/operator.ts';
import { chromiumPath } from '../admin/support/chromium.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { shotsOf } from './pages.ts';
import type { Shot } from './pages.ts';
import { tellStory } from './story.ts';

/**
 * `npm run screenshots -- [WORD] [--to FOLDER]`: every page whose name has the word, wide and narrow, light and dark.
 * `npm run screenshots -- --docs`: those alone that README.md and docs/console.md show, in their place.
 */
const { values, positionals } = parseArgs({
  options: { to: { type: 'string', default: 'screenshots' }, docs: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const to = values.docs ? 'docs' : values.to;
const WIDTHS = [1280, 390];
const SCHEMES = ['light', 'dark'] as const;
/** The pages that the documents show, by the file below docs/, and how much of each, in pixels. */
const PICTURED: Readonly<Record<string, { file: string; height: number }>> = {
  'admin-buys-media-buy-id': { file: 'console.png', height: 1_290 },
  admin: { file: 'console-overview.png', height: 805 },
  'admin-webhooks-delivery-id': { file: 'console-webhook.png', height: 790 },
};
/** Of a page that is very long its beginning is enough, in pixels. */
const HIGHEST = 6_000;
/** What a page may take on a machine that is busy with other things. */
const PATIENCE_MS = 240_000;

if (chromiumPath === undefined) {
  console.error('chromium is not on PATH: install it, as by apt-get install chromium');
  process.exit(1);
}
const dir = await mkdtemp(join(tmpdir(), 'media-buy-agent-screenshots-'));
const redis = await usePrivateRedis({ dataDir: dir, logger: createLogger('warn') });
process.env['REDIS_TEST_URL'] = redis.url;
const agent = await startTestAgent('sqlite', { env: { APPROVAL_OVER_USD: '1000', SIM_SPEED: '20000' } });
const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] });
const troubles: string[] = [];
let taken = 0;
try {
  const story = await tellStory(agent);
  const shots = shotsOf(story.names).filter(({ name }) =>
    values.docs ? PICTURED[name] !== undefined : positionals.every((word) => name.includes(word)),
  );
  const [schemes, widths] = values.docs ? [SCHEMES.slice(0, 1), WIDTHS.slice(0, 1)] : [SCHEMES, WIDTHS];
  await mkdir(to, { recursive: true });
  const looks = await Promise.all(schemes.flatMap((scheme) => widths.map((width) => lookOf(scheme, width))));
  for (const shot of shots) {
    for (const look of looks) await take(shot, look);
  }
  await story.stop();
} finally {
  await browser.close();
  await agent.stop();
  await redis.release();
  await rm(dir, { recursive: true, force: true });
}
for (const trouble of troubles) console.error(trouble);
console.log(`${taken} pictures in ${to}`);
process.exit(troubles.length === 0 && taken > 0 ? 0 : 1);

interface Look {
  name: string;
  width: number;
  contexts: Record<Shot['as'], BrowserContext>;
}

async function lookOf(scheme: (typeof SCHEMES)[number], width: number): Promise<Look> {
  const contexts = {
    admin: await contextOf(scheme, width, await consoleCookie(agent)),
    buyer: await contextOf(scheme, width, await portalCookie(agent)),
    nobody: await contextOf(scheme, width),
  };
  return { name: `${width}-${scheme}`, width, contexts };
}

async function take({ name, path: place, as, status }: Shot, look: Look): Promise<void> {
  const page = await look.contexts[as].newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  page.on('pageerror', (error) => troubles.push(`${place}: ${error.message}`));
  const answer = await page.goto(agent.baseUrl + place);
  if (answer?.status() !== status) troubles.push(`${place}: ${answer?.status()}`);
  if (await page.evaluate<boolean>('document.documentElement.scrollWidth > window.innerWidth')) {
    troubles.push(`${place}: is wider than ${look.width} pixels`);
  }
  const { file = '', height: most = HIGHEST } = (values.docs ? PICTURED[name] : undefined) ?? {};
  const height = Math.min(await page.evaluate<number>('document.documentElement.scrollHeight'), most);
  const clip = { x: 0, y: 0, width: look.width, height };
  const path = join(to, file === '' ? `${name}-${look.name}.png` : file);
  await page.screenshot({ path, fullPage: true, clip });
  taken += 1;
  await page.close();
}

async function contextOf(colorScheme: 'light' | 'dark', width: number, cookie = ''): Promise<BrowserContext> {
  const context = await browser.newContext({ colorScheme, viewport: { width, height: 800 }, reducedMotion: 'reduce' });
  const [name = '', value = ''] = cookie.split('=');
  if (cookie !== '') await context.addCookies([{ name, value, url: agent.baseUrl }]);
  return context;
}

/** Of Ann, who is an admin. */
async function consoleCookie({ core }: TestAgent): Promise<string> {
  const { body } = await operate(agent, 'GET', '/people');
  const ann = (body['people'] as { person_id: string; name: string }[]).find(({ name }) => name === 'Ann Berger');
  const person_id = ann?.person_id ?? '';
  return `console_session=${await startSession(core, { person_id, role: 'admin' }, '127.0.0.1')}`;
}

async function portalCookie({ baseUrl, apiKey }: TestAgent): Promise<string> {
  const response = await fetch(`${baseUrl}/portal/sign-in`, {
    method: 'POST',
    body: new URLSearchParams({ api_key: apiKey }),
    headers: { 'sec-fetch-site': 'same-origin' },
    redirect: 'manual',
  });
  return (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}
