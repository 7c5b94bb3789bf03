import { chromium } from 'playwright-core';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { membershipId, memberships } from '../../../src/directory/membership/membership.ts';
import { userIdOf } from '../../../src/directory/oauth/access-token.ts';
import { createPortalLink } from '../../../src/directory/portal-link/portal-link.ts';
import { developmentSubject } from '../../../src/oauth/identity-provider.ts';
import { TaskRuns } from '../../../src/runtime/task-run.ts';
import { Deliveries } from '../../../src/webhooks/delivery/delivery.ts';
import { operate } from '../../journeys/support/operator.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { organizationId } from '../../support/ids.ts';
import { finishedRun } from '../../webhooks/support/finished-run.ts';
import { faultsOf } from '../console/support/faults-of-page.ts';
import { chromiumPath as executablePath } from '../support/chromium.ts';

/** What anything may take on a machine that is busy with other things. */
const PATIENCE_MS = 240_000;
const BUYER = organizationId('org_demo_buyer');
const PERSON = { email: 'ada@acme.example', password: 'a-password-for-tests' };

// Needs a browser, which a bare machine lacks; portal.test.ts proves the same rule over plain HTTP.
describe.runIf(executablePath !== undefined)('the portal in a browser', () => {
  let agent: TestAgent;
  let browser: Browser;
  let pages: string[];
  beforeAll(async () => {
    agent = await startTestAgent('sqlite', {
      working: false,
      env: { DEV_ACCOUNTS: `${PERSON.email}:${PERSON.password}` },
    });
    browser = await chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox'] });
    pages = await plant();
  });
  afterAll(async () => {
    await browser.close();
    await agent.stop();
  });

  /** Something to see on every page; answers where. */
  async function plant(): Promise<string[]> {
    const { store, webhooks, clock } = agent.core;
    const run = { ...finishedRun('https://buyer.example/a/long/path/of/hooks', clock.now()), organization_id: BUYER };
    await store.collection(TaskRuns).insert(run);
    await webhooks.notifier.notify(run);
    const [first, second] = (await store.collection(Deliveries).find({ where: { task_id: run.task_id } })).rows;
    for (const row of [first, second])
      await store.collection(Deliveries).update(row?.delivery_id ?? '', (one) => ({
        ...one,
        ...{ state: 'exhausted', next_attempt_at: null },
      }));
    const until = new Date(clock.now() + 1_000).toISOString();
    const { range_id } = await webhooks.buyer.ranges.ask(BUYER, { state: 'exhausted', until }, agent.core.budgets);
    const registration = `/portal/registrations/${run.task_id}/r1`;
    return [
      ...['/portal', `/portal/deliveries/${first?.delivery_id ?? ''}`, '/portal/deliveries/none'],
      ...['/portal/ranges', '/portal/ranges/count?state=exhausted', `/portal/ranges/${range_id}`],
      ...['/portal/registrations', registration, `${registration}/end`],
      ...['/portal/receivers', '/portal/success', '/portal/success?range=month', '/portal/keys', '/portal/sign-out'],
    ];
  }

  /** A browser of its own, that notes what is wrong with what it looks at, and what it complained of meanwhile. */
  async function openBrowser() {
    const context = await browser.newContext({ bypassCSP: true });
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    const wrong: string[] = [];
    page.on('pageerror', (error) => wrong.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        wrong.push(message.text());
    });
    page.on('request', (request) => {
      if (new URL(request.url()).origin !== agent.baseUrl) wrong.push(request.url());
    });
    page.on('response', (answer) => {
      if (answer.status() >= 400 && !answer.request().isNavigationRequest()) wrong.push(answer.url());
    });
    const lookAtIt = async () => {
      wrong.push(...(await faultsOf(page)).map((fault) => `${page.url()}: ${fault}`));
    };
    async function look(path: string, status = 200): Promise<void> {
      const answer = await page.goto(agent.baseUrl + path);
      if (answer?.status() !== status) wrong.push(`${path}: ${answer?.status()}`);
      await lookAtIt();
    }
    return { context, page, wrong, look, lookAtIt };
  }

  it('[O1.portal] is signed in to and out of, fits 390 pixels and gives axe nothing to say, light and dark', async () => {
    const { context, page, wrong, look, lookAtIt } = await openBrowser();
    await look('/portal', 401);
    await look('/portal/sign-in');
    await page.fill('input[name=api_key]', 'mk_live_of-nobody');
    await page.click('form button');
    await page.getByRole('alert').waitFor();
    await lookAtIt();
    await page.fill('input[name=api_key]', agent.apiKey);
    await page.click('form button');
    expect(new URL(page.url()).pathname).toBe('/portal');
    for (const path of pages) await look(path, path.endsWith('/none') ? 404 : 200);
    await look('/portal?token=a-key-in-an-address', 400);
    expect(wrong).toEqual([]);
    await page.goto(`${agent.baseUrl}/portal/sign-out`);
    await page.click('button');
    await page.goto(`${agent.baseUrl}/portal`);
    expect(await page.title()).toContain('Sign in');
    await context.close();
  });

  it('[O1.portal] says so, without a fault, where an organization has nothing to show yet', async () => {
    const { body } = await operate(agent, 'POST', '/buyers/add', { name: 'Newcomer' });
    const asked = { organization_id: organizationId(String(body['organization_id'])), api_key_id: null, click: 'new' };
    const { context, page, wrong, look } = await openBrowser();
    await page.goto((await createPortalLink(agent.core, asked, agent.baseUrl)).portal_url);
    await page.click('button');
    for (const path of ['', '/ranges', '/registrations', '/receivers', '/success', '/keys'])
      await look(`/portal${path}`);
    expect(wrong).toEqual([]);
    await context.close();
  });

  it('[O1.portal] is opened by a link without script, where many are counted and sent again, and a registration is ended', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    const asked = { organization_id: BUYER, api_key_id: null, click: 'a-click' };
    await page.goto((await createPortalLink(agent.core, asked, agent.baseUrl)).portal_url);
    await page.click('button');
    expect(new URL(page.url()).pathname).toBe('/portal');

    await page.goto(`${agent.baseUrl}/portal/ranges`);
    await page.fill('input[name=from]', '2020-01-31T08:00');
    await page.click('text=Count them');
    expect(await page.textContent('h1')).toBe('2 webhooks');
    await page.click('text=Send all of them again');
    expect(await page.textContent('h1')).toBe('0 of 2 sent again');
    await page.click('text=Stop it');
    expect(await page.textContent('dl')).toContain('stopped');

    await page.goto(`${agent.baseUrl}/portal/registrations`);
    await page.click('td a');
    await page.click('text=End this registration');
    await page.click('text=End it for good');
    expect(await page.textContent('.note')).toContain('It has ended');
    await context.close();
  });

  it("[O1.portal] is opened by a person's own account without script, under the policies of all pages on the way", async () => {
    const user_id = userIdOf(agent.baseUrl, developmentSubject(PERSON.email));
    await agent.core.store.collection(memberships).insert({
      ...{ membership_id: membershipId(BUYER, user_id), organization_id: BUYER, user_id, role: 'member' },
      ...{ created_at: new Date().toISOString(), revision: 1 },
    });
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${agent.baseUrl}/portal`);
    await page.click('text=Sign in with your account');
    await page.fill('input[name=email]', PERSON.email);
    await page.fill('input[name=password]', PERSON.password);
    await page.click('button');
    await page.click('button[value=allow]');
    expect(page.url()).toBe(`${agent.baseUrl}/portal`);
    await page.goto(`${agent.baseUrl}/portal/sign-out`);
    await page.click('button');
    await page.goto(`${agent.baseUrl}/portal`);
    expect(await page.title()).toContain('Sign in');
    await context.close();
  });
});
