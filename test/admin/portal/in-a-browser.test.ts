import axe from 'axe-core';
import { chromium } from 'playwright-core';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { chromiumPath as executablePath } from '../support/chromium.ts';

const PAGES = ['/portal', '/portal/receivers', '/portal/sign-out', '/portal/deliveries/none'];

// Needs a browser, which a bare machine lacks; portal.test.ts proves the same rule over plain HTTP.
describe.runIf(executablePath !== undefined)('the portal in a browser', () => {
  let agent: TestAgent;
  let browser: Browser;
  beforeAll(async () => {
    agent = await startTestAgent('sqlite', { working: false });
    browser = await chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox'] });
  });
  afterAll(async () => {
    await browser.close();
    await agent.stop();
  });

  it.each(['light', 'dark'] as const)(
    '[O1.portal] is signed in to and out of, fits 390 pixels and gives axe nothing to say, %s',
    async (colorScheme) => {
      const viewport = { width: 390, height: 800 };
      const context = await browser.newContext({ colorScheme, viewport });
      const page = await context.newPage();
      const wrong: string[] = [];
      async function look(path: string): Promise<void> {
        const found = await page.evaluate<axe.AxeResults>(`${axe.source}; axe.run()`);
        wrong.push(...found.violations.map(({ id }) => `${path}: ${id}`));
        const width = await page.evaluate<number>('document.documentElement.scrollWidth');
        if (width > viewport.width) wrong.push(`${path}: ${width} pixels wide`);
      }
      await page.goto(`${agent.baseUrl}/portal/sign-in`);
      await look('/portal/sign-in');
      await page.fill('input[name=api_key]', agent.apiKey);
      await page.click('button');
      expect(new URL(page.url()).pathname).toBe('/portal');
      for (const path of PAGES) {
        await page.goto(agent.baseUrl + path);
        await look(path);
      }
      expect(wrong).toEqual([]);
      await page.goto(`${agent.baseUrl}/portal/sign-out`);
      await page.click('button');
      await page.goto(`${agent.baseUrl}/portal`);
      expect(await page.title()).toContain('Sign in');
      await context.close();
    },
  );
});
