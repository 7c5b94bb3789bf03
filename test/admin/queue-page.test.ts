import { chromium } from 'playwright-core';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startConsole } from './support/console.ts';
import type { Console } from './support/console.ts';
import { chromiumPath as executablePath } from './support/chromium.ts';

// Needs a browser, which a bare machine lacks; sign-in.test.ts proves the same rules over plain HTTP.
describe.runIf(executablePath !== undefined)('the queue page in a browser', () => {
  let at: Console;
  let browser: Browser;

  beforeAll(async () => {
    at = await startConsole();
    browser = await chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox'] });
  });
  afterAll(async () => {
    await browser.close();
    await at.close();
  });

  it('shows the queues after the link, loads nothing from elsewhere, and opens with that link once only', async () => {
    await at.queues.queue({ name: 'deliveries', schema: z.unknown() }).add('delivery-1', { delivery_id: 'delivery-1' });
    const link = await at.signInLink();

    const context = await browser.newContext();
    const page = await context.newPage();
    const elsewhere: string[] = [];
    const failures: string[] = [];
    page.on('response', (response) => {
      if (new URL(response.url()).origin !== at.baseUrl) elsewhere.push(response.url());
      else if (response.status() >= 400) failures.push(`${response.status()} ${response.url()}`);
    });
    page.on('pageerror', (error) => failures.push(error.message));

    await page.goto(link);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('deliveries').first().waitFor();
    expect(new URL(page.url()).pathname).toMatch(/^\/admin\/queues/);
    await page.goto(`${at.baseUrl}/admin/queues/queue/deliveries?status=waiting`);
    await page.getByText('delivery-1').first().waitFor();
    expect(elsewhere).toEqual([]);
    expect(failures).toEqual([]);

    const stranger = await (await browser.newContext()).newPage();
    const again = await stranger.goto(link);
    expect(again?.status()).toBe(401);
    expect(await stranger.getByRole('heading').textContent()).toBe('Sign in to the console');
  });

  it('takes no changes, and lets a person sign out', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(await at.signInLink());
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL('**/admin/queues**');
    const paused = await page.evaluate(async () => {
      const answer = await fetch('/admin/queues/api/queues/deliveries/pause', { method: 'PUT' });
      return answer.status;
    });
    expect(paused).toBe(403);
    await page.goto(`${at.baseUrl}/admin/sign-out`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    expect((await page.goto(`${at.baseUrl}/admin`))?.status()).toBe(401);
  });
});
