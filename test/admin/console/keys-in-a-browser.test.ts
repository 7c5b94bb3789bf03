import { execFile, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addPerson } from '../../../src/directory/operator/person.ts';
import { createSignInLink } from '../../../src/admin/sign-in-link.ts';
import { operate } from '../../journeys/support/operator.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { until } from '../../support/until.ts';
import { callOf } from './support/shell-line.ts';
import { chromiumPath as executablePath } from '../support/chromium.ts';

/** What a person would do with the line; where there is no curl, its call is made all the same. */
const hasCurl = spawnSync('sh', ['-c', 'command -v curl']).status === 0;

async function statusInShell(line: string): Promise<string | undefined> {
  const { stdout } = await promisify(execFile)('sh', ['-c', `${line} -w '\\n%{http_code}'`]);
  return stdout.split('\n').at(-1);
}

const HOSTILE = `<img src=x onerror=alert(1)> "'&${'w'.repeat(60)}`;

// Needs a browser, which a bare machine lacks; shown-once.test.ts proves the same rule over plain HTTP.
describe.runIf(executablePath !== undefined)('a key in a browser', () => {
  let agent: TestAgent;
  let browser: Browser;
  let buyer: string;
  beforeAll(async () => {
    agent = await startTestAgent('sqlite', { working: false });
    const { body } = await operate(agent, 'POST', '/buyers/add', { name: HOSTILE });
    buyer = `/buyers/${String(body['organization_id'])}`;
    browser = await chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox'] });
  });
  afterAll(async () => {
    await browser.close();
    await agent.stop();
  });

  /** A browser that nobody is signed in with; what a page complains of, or loads from elsewhere, is in `troubles`. */
  async function open(options: Parameters<Browser['newContext']>[0]) {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const troubles: string[] = [];
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

  /** Signs in by a link, as a new admin. */
  async function signIn(page: Page): Promise<void> {
    const made = { name: `Ada ${randomUUID().slice(0, 8)}`, role: 'admin', by: 'a test', click: randomUUID() } as const;
    const holder = await addPerson(agent.core, made);
    await page.goto(await createSignInLink(agent.core, agent.baseUrl, holder));
    await page.getByRole('button', { name: /^Sign in/ }).click();
    await page.waitForURL('**/admin');
  }

  async function madeKey(page: Page): Promise<{ key: string; line: string }> {
    await page.goto(`${agent.baseUrl}/admin${buyer}`);
    await page.getByRole('link', { name: 'Make a key' }).click();
    await page.getByLabel('Name').fill(HOSTILE);
    await page.getByLabel('registry:write').uncheck();
    await page.getByRole('button', { name: 'Make the key' }).click();
    await page.getByRole('heading', { level: 1, name: 'shown this once' }).waitFor();
    const textAt = async (id: string) => (await page.locator(`#${id}`).textContent()) ?? '';
    return { key: await textAt('secret'), line: await textAt('call') };
  }

  it('[O1.once] without script: from the sign-in to a key, used by the very line shown, revoked, and refused', async () => {
    const { page, troubles, context } = await open({ javaScriptEnabled: false });
    await signIn(page);
    const { key, line } = await madeKey(page);
    // What only script can do is not offered.
    expect(await page.getByRole('button', { name: /^Copy/ }).count()).toBe(0);
    const run = async () => (hasCurl ? statusInShell(line) : String((await callOf(line)).status));
    expect(await run()).toBe('200');

    await page.getByRole('link', { name: 'I have it; back' }).click();
    expect(await page.content()).not.toContain(key);
    const row = page.getByRole('row').filter({ hasText: `…${key.slice(-4)}` });
    expect(await row.textContent()).not.toContain('registry:write');
    expect(await row.textContent()).toContain('registry:read');
    await row.getByText('Revoke', { exact: true }).click();
    await row.getByLabel('Reason').fill('a drill');
    await row.getByRole('button', { name: 'Revoke for good' }).click();
    await page.getByRole('status').waitFor();
    expect(await until(async () => ((await run()) === '401' ? '401' : undefined))).toBe('401');

    // To where the key was shown: the browser has not kept it.
    for (const _step of ['to the buyer', 'to the key']) await page.goBack().catch(() => null);
    await until(() => (page.url().endsWith(buyer) ? undefined : true));
    expect(await page.content()).not.toContain(key);
    expect(troubles).toEqual([]);
    await context.close();
  });

  it('[O1.once] with script: what is shown once is copied by a button, as it stands', async () => {
    const { page, troubles, context } = await open({});
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: agent.baseUrl });
    await signIn(page);
    const { key, line } = await madeKey(page);
    for (const [button, text] of [
      ['Copy it', key],
      ['Copy the line', line],
    ] as const) {
      await page.getByRole('button', { name: button }).click();
      await page.getByRole('button', { name: 'Copied' }).first().waitFor();
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(text.trim());
    }
    expect(troubles).toEqual([]);
    await context.close();
  });
});
