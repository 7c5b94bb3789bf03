import axe from 'axe-core';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toTimestamp } from '../../../src/platform/clock.ts';
import { StatSpans } from '../../../src/platform/stats/stat-span.ts';
import { mediaBuyInput, send, taskOf } from '../../journeys/support/buyer.ts';
import { approvalOf, operate } from '../../journeys/support/operator.ts';
import type { Listed } from '../../journeys/support/operator.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { visitorOf } from './support/visitor.ts';
import { chromiumPath as executablePath } from '../support/chromium.ts';

// Needs a browser, which a bare machine lacks; console.test.ts proves the same rules over plain HTTP.
describe.runIf(executablePath !== undefined)('the console in a browser', () => {
  let agent: TestAgent;
  let browser: Browser;
  let waiting: Listed;
  beforeAll(async () => {
    agent = await startTestAgent('sqlite', { env: { APPROVAL_OVER_USD: '100' } });
    const buyer_ref = `<img src=x onerror=alert(1)> ${'w'.repeat(120)}`;
    const sent = await send(agent, 'create_media_buy', mediaBuyInput(agent, { buyer_ref }));
    waiting = await approvalOf(agent, taskOf(sent).id);
    await agent.core.store.collection(StatSpans).insert({
      ...{ stat_id: 'minute', span: 'minute', at: toTimestamp(Date.now()), revision: 1, queued: 3 },
      ...{ counts: { 'tasks completed': 5, 'tasks failed': 2, 'deliveries gone': 1 }, times: { tasks: [4, 3] } },
      expires_at: toTimestamp(Date.now() + 3_600_000),
    });
    browser = await chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox'] });
  });
  afterAll(async () => {
    await browser.close();
    await agent.stop();
  });

  /** Signed in as an admin; whatever a page complains of, or loads from elsewhere, is in `troubles`. */
  async function open(
    scheme: 'light' | 'dark',
    width: number,
  ): Promise<{ page: Page; troubles: string[]; context: BrowserContext }> {
    const { cookie } = await visitorOf(agent, 'admin');
    // The page's policy forbids every script, axe's own, too.
    const context = await browser.newContext({
      colorScheme: scheme,
      viewport: { width, height: 800 },
      bypassCSP: true,
    });
    const [name = '', value = ''] = cookie.split('=');
    await context.addCookies([{ name, value, url: agent.baseUrl }]);
    const page = await context.newPage();
    const troubles: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('404')) troubles.push(message.text());
    });
    page.on('pageerror', (error) => troubles.push(error.message));
    page.on('dialog', (dialog) => {
      troubles.push(dialog.message());
      void dialog.dismiss();
    });
    page.on('request', (request) => {
      if (new URL(request.url()).origin !== agent.baseUrl) troubles.push(request.url());
    });
    return { page, troubles, context };
  }

  const pages = () => [
    ...['', '?range=month', '/approvals', '/approvals?status=rejected', `/approvals/${waiting.approval_id}`],
    ...['/buys?status=pending', `/buys/${waiting.media_buy_id}`, '/creatives', '/tasks?state=input-required'],
    ...[
      `/tasks/${waiting.task_id}`,
      '/catalog?brief=ctv',
      '/webhooks',
      '/buyers',
      '/buyers/org_demo_buyer',
      '/audit',
      '/buys/none',
      `/buys/several?media_buy_id=${waiting.media_buy_id}`,
      '/registry/join-requests',
      '/grants',
    ],
  ];

  it.each([
    ['light', 1280],
    ['dark', 390],
  ] as const)(
    '[O1.pages] has no fault that axe finds on any page, %s, %i pixels wide, and none scrolls sideways',
    async (scheme, width) => {
      const { page, troubles, context } = await open(scheme, width);
      for (const path of pages()) {
        await page.goto(`${agent.baseUrl}/admin${path}`);
        const isWide = await page.evaluate('document.documentElement.scrollWidth > window.innerWidth');
        expect([path, isWide]).toEqual([path, false]);
        await page.evaluate(axe.source);
        const found = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
          "axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })",
        );
        const faults = found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
        expect([path, faults]).toEqual([path, []]);
      }
      expect(troubles).toEqual([]);
      await context.close();
    },
  );

  it('[O1.forms] is used by the keyboard alone: to an approval, through it, and back', async () => {
    const { page, troubles, context } = await open('light', 1280);
    await page.goto(`${agent.baseUrl}/admin`);
    const reach = async (name: string) => {
      for (let steps = 0; steps < 60; steps += 1) {
        await page.keyboard.press('Tab');
        const label = await page.evaluate('document.activeElement?.textContent ?? ""');
        if (label === name) return;
      }
      throw new Error(`${name} is not reached by the keyboard`);
    };
    await reach('Skip to the page');
    await page.keyboard.press('Enter');
    await reach(waiting.approval_id);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/approvals/${waiting.approval_id}`);
    await reach('Approve');
    await page.keyboard.press('Enter');
    await page.getByRole('status').waitFor();
    expect((await operate(agent, 'GET', `/approvals/${waiting.approval_id}`)).body['status']).toBe('approved');
    expect(troubles).toEqual([]);
    await context.close();
  });
});
