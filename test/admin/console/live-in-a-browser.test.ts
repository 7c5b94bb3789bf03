import { randomUUID } from 'node:crypto';
import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mediaBuyInput, send, taskOf } from '../../journeys/support/buyer.ts';
import { approvalOf, operate } from '../../journeys/support/operator.ts';
import type { Listed } from '../../journeys/support/operator.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { chromiumPath as executablePath } from '../support/chromium.ts';
import { visitorOf } from './support/visitor.ts';

interface Opened {
  /** Done before the page is asked for. */
  first?: (page: Page) => Promise<unknown>;
}

// Needs a browser, which a bare machine lacks; live.test.ts proves what it can over plain HTTP.
describe.runIf(executablePath !== undefined)('the console’s script in a browser', () => {
  let agent: TestAgent;
  let browser: Browser;
  beforeAll(async () => {
    agent = await startTestAgent('sqlite', { env: { APPROVAL_OVER_USD: '100' } });
    browser = await chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox'] });
  });
  afterAll(async () => {
    await browser.close();
    await agent.stop();
  });

  const waiting = async (buyer_ref = `ref ${randomUUID()}`): Promise<Listed> =>
    approvalOf(agent, taskOf(await send(agent, 'create_media_buy', mediaBuyInput(agent, { buyer_ref }))).id);

  /** A page under the policy as it is; what that complains of, and what fails, is in `troubles`. */
  async function open(path: string, { first }: Opened = {}) {
    const { cookie } = await visitorOf(agent, 'admin');
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const [name = '', value = ''] = cookie.split('=');
    await context.addCookies([{ name, value, url: agent.baseUrl }]);
    const page = await context.newPage();
    const troubles: string[] = [];
    await page.exposeFunction('troubled', (what: string) => troubles.push(what));
    await page.addInitScript(
      "document.addEventListener('securitypolicyviolation', (e) => troubled(e.violatedDirective + ' ' + e.blockedURI))",
    );
    page.on('console', (message) => message.type() === 'error' && troubles.push(message.text()));
    page.on('pageerror', (error) => troubles.push(error.message));
    page.on('dialog', (dialog) => {
      troubles.push(dialog.message());
      void dialog.dismiss();
    });
    page.on('request', (request) => {
      if (new URL(request.url()).origin !== agent.baseUrl) troubles.push(request.url());
    });
    await first?.(page);
    const isListening = page.waitForResponse((response) => response.url().includes('/admin/live?topics='));
    await page.goto(`${agent.baseUrl}/admin${path}`);
    await isListening;
    return { page, troubles, context };
  }

  const rowWith = (page: Page, text: string) => page.locator('tbody tr', { hasText: text });

  it('[O1.live] shows what comes in without a reload, keeps focus and scroll, and the policy is never broken', async () => {
    const first = await waiting();
    const { page, troubles, context } = await open('/approvals');
    await page.evaluate('window.isSamePage = true');
    const link = page.getByRole('link', { name: 'Overview' });
    await link.focus();
    const second = await waiting();
    await rowWith(page, second.approval_id).waitFor();
    expect(await rowWith(page, first.approval_id).count()).toBe(1);
    expect(await page.evaluate('[window.isSamePage, document.activeElement.textContent]')).toEqual([true, 'Overview']);
    expect(troubles).toEqual([]);
    await context.close();
  });

  it('[O1.live] [S9] fetches itself anew when a stream that ended begins again, for what rang at none, and every 30 seconds where there is none', async () => {
    // Streams of a server that stops, again and again; and a clock that only the test moves.
    const ended = { status: 200, contentType: 'text/event-stream', body: 'retry: 1\n\n' };
    const { page, troubles, context } = await open('/approvals', {
      async first(opened) {
        const now = Date.now();
        await opened.clock.install({ time: now });
        await opened.clock.pauseAt(now + 1_000);
        await opened.route('**/admin/live?*', (route) => route.fulfill(ended));
      },
    });
    const missed = await waiting();
    // Whoever asks for another has seen the one before begin.
    for (const _time of [1, 2])
      await page.waitForResponse((response) => response.url().includes('/admin/live?topics='));
    await page.clock.runFor(2_000);
    await rowWith(page, missed.approval_id).waitFor();
    expect(troubles).toEqual([]);
    // None any more: a browser that is refused one asks for it no more by itself.
    const refused = page.waitForResponse((response) => response.status() === 503);
    await page.route('**/admin/live?*', (route) => route.fulfill({ status: 503, body: '{}' }));
    await refused;
    const later = await waiting();
    expect(await rowWith(page, later.approval_id).count()).toBe(0);
    await page.clock.runFor(30_000);
    await rowWith(page, later.approval_id).waitFor();
    await context.close();
  });

  it('[O1.live] rows under the pointer stay where they are until they are asked for', async () => {
    const known = await waiting();
    const { page, troubles, context } = await open('/buys?status=pending');
    const row = rowWith(page, known.media_buy_id);
    await row.hover();
    const before = await row.boundingBox();
    const next = await waiting();
    const show = page.getByRole('button', { name: '1 new, show' });
    await show.waitFor();
    expect(await rowWith(page, next.media_buy_id).count()).toBe(0);
    expect(await row.boundingBox()).toEqual(before);
    await show.focus();
    await page.keyboard.press('Enter');
    await rowWith(page, next.media_buy_id).waitFor();
    expect(await show.count()).toBe(0);
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Media buys');
    expect(troubles).toEqual([]);
    await context.close();
  });

  it('[O1.live] shows that another has decided, and leaves alone what somebody types', async () => {
    const open_ = await waiting();
    const { page, troubles, context } = await open(`/approvals/${open_.approval_id}`);
    const field = page.getByRole('textbox', { name: /reason/i });
    await field.fill('too dear, and');
    await operate(agent, 'POST', `/approvals/${open_.approval_id}/approve`);
    await page.locator('dd', { hasText: 'approved' }).first().waitFor();
    expect(await field.inputValue()).toBe('too dear, and');
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    expect(troubles).toEqual([]);
    await context.close();
  });

  it('[O1.live] says on every page that a queue is paused, why and by whom, and that it goes on', async () => {
    const { page, troubles, context } = await open('/audit');
    await operate(agent, 'POST', '/queues/webhook-retries/pause', { reason: 'the receiver moves' });
    const note = page.getByText('The queue webhook-retries is paused');
    await note.waitFor();
    expect(await note.textContent()).toContain('the receiver moves');
    await operate(agent, 'POST', '/queues/webhook-retries/resume');
    await note.waitFor({ state: 'detached' });
    expect(troubles).toEqual([]);
    await context.close();
  });

  it('[O1.live] tells when the session has ended, and asks no more', async () => {
    const { page, context } = await open('/buys');
    await context.clearCookies();
    await waiting();
    await page.getByText('You are signed out').waitFor();
    await context.close();
  });

  it('[O1.search] / goes to the search, and not while somebody types', async () => {
    const { page, troubles, context } = await open('/buys');
    await page.keyboard.press('/');
    await page.keyboard.type('a/b');
    expect(await page.getByRole('searchbox').inputValue()).toBe('a/b');
    expect(troubles).toEqual([]);
    await context.close();
  });
});
