import { chromium } from 'playwright-core';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { chromiumPath as executablePath } from '../support/chromium.ts';
import { hostileCatalog, plantHostileNames } from './support/hostile-names.ts';
import { visitorOf } from './support/visitor.ts';

const PATIENCE_MS = 240_000;
const MANY_MS = 900_000;

// Needs a browser, which a bare machine lacks; hostile-names.test.ts reads the same pages over plain HTTP.
describe.runIf(executablePath !== undefined)('[O1.text] hostile names in a browser', () => {
  let agent: TestAgent;
  let browser: Browser;
  let catalog: Awaited<ReturnType<typeof hostileCatalog>>;
  beforeAll(async () => {
    catalog = await hostileCatalog();
    agent = await startTestAgent('sqlite', { working: false, env: { CATALOG_DIR: catalog.dir } });
    browser = await chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox'] });
  });
  afterAll(async () => {
    await browser.close();
    await agent.stop();
    await catalog.remove();
  });

  it(
    'run nothing, load nothing and leave the layout as it is, at 390 pixels and wide',
    async () => {
      // A page each of creatives is made of the parts that the others are.
      const pages = (await plantHostileNames(agent)).filter(({ path }) => !path.startsWith('/creatives/'));
      const { cookie } = await visitorOf(agent, 'admin');
      const [name = '', value = ''] = cookie.split('=');
      // As strangers' words would like it best: no policy stands in their way.
      const context = await browser.newContext({ bypassCSP: true });
      context.setDefaultTimeout(PATIENCE_MS);
      await context.addCookies([{ name, value, url: agent.baseUrl }]);
      const page = await context.newPage();
      const troubles: string[] = [];
      page.on('dialog', (dialog) => {
        troubles.push(`says ${dialog.message()}`);
        void dialog.dismiss();
      });
      page.on('pageerror', (error) => troubles.push(error.message));
      page.on('request', (request) => {
        if (new URL(request.url()).origin !== agent.baseUrl) troubles.push(`asks for ${request.url()}`);
      });
      const wrong: string[] = [];
      for (const { path } of pages) {
        await page.setViewportSize({ width: 1280, height: 800 });
        const answer = await page.goto(`${agent.baseUrl}/admin${path}`);
        await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
        for (const width of [1280, 390]) {
          await page.setViewportSize({ width, height: 800 });
          const isWide = await page.evaluate('document.documentElement.scrollWidth > window.innerWidth');
          if (isWide === true) wrong.push(`${path} scrolls sideways at ${width} pixels`);
        }
        if (answer?.status() !== 200) wrong.push(`${path} is ${answer?.status()}`);
        wrong.push(...troubles.splice(0).map((trouble) => `${path} ${trouble}`));
      }
      expect(wrong).toEqual([]);
      await context.close();
    },
    MANY_MS,
  );
});
