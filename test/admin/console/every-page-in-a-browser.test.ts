import { chromium } from 'playwright-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PAGES } from '../../../src/admin/console/pages.ts';
import { toTimestamp } from '../../../src/platform/clock.ts';
import { StatSpans } from '../../../src/platform/stats/stat-span.ts';
import { creativeKey } from '../../../src/sales/creative/creative.ts';
import { operate } from '../../journeys/support/operator.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { sampleCreative } from '../../sales/support/sample-creative.ts';
import { organizationId } from '../../support/ids.ts';
import { withStoreAway } from '../../support/store-away.ts';
import { openReceiver, status } from '../../webhooks/support/open-receiver.ts';
import type { Receiver } from '../../webhooks/support/open-receiver.ts';
import { chromiumPath as executablePath } from '../support/chromium.ts';
import { everyPageOf } from './support/every-page.ts';
import { faultsOf } from './support/faults-of-page.ts';
import { visitorOf } from './support/visitor.ts';
import type { Visitor } from './support/visitor.ts';

/** What anything may take on a machine that is busy with other things. */
const PATIENCE_MS = 240_000;
/** The end for what hangs, of many pages. */
const MANY_MS = 900_000;
const HOSTILE = `<img src=x onerror=alert(1)> "'&${'w'.repeat(60)}`;

/** Keeps what the policy of the page that is open refuses, from its first moment on. */
const NOTE_BREACHES = `window.breaches = [];
document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sample }) => {
  window.breaches.push([effectiveDirective, blockedURI, sample].join(' '));
});`;
/** Breaks the policy, and answers what has been kept of that. */
const BREAK_IT = `new Promise((seen) => {
  document.addEventListener('securitypolicyviolation', () => seen(window.breaches), { once: true });
  document.body.setAttribute('style', 'color: red');
})`;
const BREACHES = 'window.breaches.map((breach) => "the policy refused " + breach)';

interface Opened {
  page: Page;
  context: BrowserContext;
  /** What the browser complained of, but for the status of a page that is to have it, and what was asked of another place. */
  troubles: string[];
}

// Needs a browser, which a bare machine lacks; console.test.ts proves the same rules over plain HTTP.
describe.runIf(executablePath !== undefined)('every page of the console in a browser', () => {
  let agent: TestAgent;
  let receiver: Receiver;
  let browser: Browser;
  let isAway = false;
  let admin: Visitor;
  let viewer: Visitor;
  beforeAll(async () => {
    receiver = await openReceiver(status(404));
    agent = await startTestAgent('sqlite', {
      env: { APPROVAL_OVER_USD: '100' },
      wrapStore: (store) => withStoreAway(store, () => isAway),
    });
    [admin, viewer] = await Promise.all([visitorOf(agent, 'admin'), visitorOf(agent, 'viewer')]);
    browser = await chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox'] });
  });
  afterAll(async () => {
    isAway = false;
    await browser.close();
    await agent.stop();
    await receiver.close();
  });

  /** `bypassCSP`: takes scripts of the test's, which the policy of the pages forbids. */
  async function open(visitor?: Visitor, { bypassCSP = true } = {}): Promise<Opened> {
    const context = await browser.newContext({ bypassCSP, deviceScaleFactor: 2 });
    context.setDefaultTimeout(PATIENCE_MS);
    const [name = '', value = ''] = visitor?.cookie.split('=') ?? [];
    if (visitor !== undefined) await context.addCookies([{ name, value, url: agent.baseUrl }]);
    // Where it is not passed by, the policy tells of each breach.
    await context.addInitScript(NOTE_BREACHES);
    const page = await context.newPage();
    const troubles: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        troubles.push(message.text());
    });
    page.on('pageerror', (error) => troubles.push(error.message));
    page.on('dialog', (dialog) => {
      troubles.push(dialog.message());
      void dialog.dismiss();
    });
    page.on('request', (request) => {
      if (new URL(request.url()).origin !== agent.baseUrl) troubles.push(request.url());
    });
    page.on('response', (answer) => {
      if (answer.status() >= 400 && !answer.request().isNavigationRequest()) troubles.push(answer.url());
    });
    return { page, context, troubles };
  }

  /** Looks at pages of the agent, each under the status it is to have. */
  async function lookAt({ page, context, troubles }: Opened, wanted: number, paths: readonly string[]): Promise<void> {
    const wrong: string[] = [];
    for (const path of paths) {
      const answer = await page.goto(`${agent.baseUrl}${path}`);
      if (answer?.status() !== wanted) wrong.push(`${path}: ${answer?.status()}`);
      const faults = [...(await faultsOf(page)), ...troubles.splice(0)];
      wrong.push(...faults.map((fault) => `${path}: ${fault}`));
    }
    expect(wrong).toEqual([]);
    await context.close();
  }
  /** Opens pages under their own policy, and lets them do what they do; answers what was refused, and what the browser complained of. */
  async function breachesOf({ page, context, troubles }: Opened, paths: readonly string[]): Promise<string[]> {
    const found: string[] = [];
    for (const path of paths) {
      await page.goto(`${agent.baseUrl}${path}`, { waitUntil: 'load' });
      await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
      const faults = [...(await page.evaluate<string[]>(BREACHES)), ...troubles.splice(0)];
      found.push(...faults.map((fault) => `${path}: ${fault}`));
    }
    await context.close();
    return found;
  }
  const below = (paths: readonly string[]) => paths.map((path) => `/admin${path}`);

  it(
    '[O1.pages] has no fault while there is nothing to show: each says why and what would fill it',
    async () => {
      const { body } = await operate(agent, 'POST', '/buyers/add', { name: 'Newcomer' });
      const buyer = `/buyers/${String(body['organization_id'])}`;
      const lists = PAGES.map(({ path }) => path).filter((path) => !path.includes(':'));
      await lookAt(await open(admin), 200, below([...lists, buyer, '/search?q=nothing-of-this']));
    },
    MANY_MS,
  );

  it(
    '[O1.pages] [O1.policy] has no fault that axe finds, and breaks no policy, with all there is to show, wide and narrow, light and dark, and at 200 %',
    async () => {
      await operate(agent, 'POST', '/operator-keys/add', { name: HOSTILE, role: 'viewer' });
      await operate(agent, 'POST', '/people/invite', { name: HOSTILE, role: 'viewer' });
      await operate(agent, 'POST', '/buyers/org_demo_buyer/keys/add', { name: HOSTILE });
      await operate(agent, 'POST', '/keys/rotate');
      const paused = encodeURIComponent('https://buyer.example');
      await operate(agent, 'POST', `/webhooks/destinations/${paused}/pause`, { reason: HOSTILE });
      const { body: onRecord } = await operate(agent, 'GET', '/actions?action=webhooks.pause');
      const [{ action_id: deed }] = onRecord['actions'] as [{ action_id: string }];
      await agent.core.store.collection(StatSpans).insert({
        ...{ stat_id: 'minute', span: 'minute', at: toTimestamp(Date.now()), revision: 1, queued: 3 },
        ...{ counts: { 'tasks completed': 5, 'tasks failed': 2, 'deliveries gone': 1 }, times: { tasks: [4, 3] } },
        expires_at: toTimestamp(Date.now() + 3_600_000),
      });
      const planted = { name: HOSTILE, receiver: receiver.url(), person_id: viewer.person_id };
      const pages = await everyPageOf(agent, planted);
      const buy = pages.find((path) => path.startsWith('/buys/mb_'))?.split('/')[2] ?? '';
      // On every page.
      await operate(agent, 'POST', '/queues/webhook-retries/pause', { reason: 'w'.repeat(200) });
      const more = [
        ...['?range=month', '/approvals?status=rejected', '/buys?status=pending', '/tasks?state=input-required'],
        ...[
          '/catalog?brief=ctv',
          '/webhooks?state=rejected',
          '/webhooks/range-count?state=rejected',
          `/webhooks/receivers/${paused}`,
          '/buyers/org_demo_buyer',
        ],
        ...[`/buys/several?media_buy_id=${buy}`, `/approvals?done=webhooks.pause&act=${deed}`, '/sign-out'],
      ];
      await lookAt(await open(admin), 200, below([...pages, ...more]));
      const own = { bypassCSP: false };
      // A breach would be seen.
      const broken = await open(admin, own);
      await broken.page.goto(`${agent.baseUrl}/admin`);
      expect(await broken.page.evaluate(BREAK_IT)).toEqual([expect.stringMatching(/^style-src-attr inline/)]);
      await broken.context.close();
      expect(await breachesOf(await open(admin, own), below([...pages, ...more, '/sign-in-again', '/none']))).toEqual(
        [],
      );
      const alone = ['/', '/docs', '/docs/agent', '/docs/operator', '/portal', '/oauth/authorize'];
      const signIn = ['/admin', '/admin/sign-in', '/admin/sign-in?token=old'];
      expect(await breachesOf(await open(undefined, own), [...signIn, ...alone])).toEqual([]);
      await operate(agent, 'POST', '/queues/webhook-retries/resume');
    },
    MANY_MS,
  );

  it('[O1.once] has no fault where a key is shown', async () => {
    const { page, context, troubles } = await open(admin);
    await page.goto(`${agent.baseUrl}/admin/buyers/org_demo_buyer/keys/new`);
    await page.getByLabel('Name').fill(HOSTILE);
    await page.getByRole('button', { name: 'Make the key' }).click();
    await page.getByRole('heading', { level: 1, name: 'shown this once' }).waitFor();
    expect([await faultsOf(page), troubles]).toEqual([[], []]);
    await context.close();
  });

  it('[O1.preview] [O1.pages] has no fault where a creative is shown as it looks: nothing of it runs, and no policy of the page is broken', async () => {
    const [organization_id, creative_id] = [organizationId('org_demo_buyer'), 'framed'];
    const content = `<p>Seen</p><script>alert('ran')</script><img src="data:," onerror="alert('ran')">
      <a href="${agent.baseUrl}/admin/me" target="_top">out</a><form action="https://evil.example"><button>send</button></form>`;
    const assets = { tag: { content, asset_type: 'html' }, headline: { content: '<script>alert(2)</script>' } };
    const creative_key = creativeKey(organization_id, creative_id);
    await agent.core.sales.creatives.insert(
      sampleCreative({ organization_id, creative_id, creative_key, assets, status: 'pending_review' }),
    );
    const path = `/admin/creatives/${organization_id}/${creative_id}`;
    for (const bypassCSP of [false, true]) {
      const { page, context, troubles } = await open(admin, { bypassCSP });
      await page.goto(`${agent.baseUrl}${path}`);
      await page.getByRole('link', { name: 'Show what it looks like' }).click();
      const preview = page.frameLocator('iframe.preview');
      await preview.getByText('<script>alert(2)</script>').waitFor();
      const tag = preview.frameLocator('iframe');
      await tag.getByText('Seen').waitFor();
      await tag.getByRole('link', { name: 'out' }).click();
      await tag.getByRole('button', { name: 'send' }).click();
      expect(new URL(page.url()).pathname).toBe(path);
      if (!bypassCSP) {
        // A page that is made anew has another token; the frame, which shows the same version, stays as it is.
        const src = await page.locator('iframe.preview').getAttribute('src');
        await agent.core.sales.creatives.update(creative_key, (row) => ({ ...row, name: 'Renamed' }));
        await page.getByRole('heading', { level: 1, name: 'Renamed' }).waitFor();
        expect(await page.locator('iframe.preview').getAttribute('src')).toBe(src);
      }
      expect(bypassCSP ? await faultsOf(page) : await page.evaluate(BREACHES)).toEqual([]);
      // The browser tells of what it kept from running, and of nothing that ran or was asked for.
      expect(troubles.filter((trouble) => trouble === 'ran' || /^https?:/.test(trouble))).toEqual([]);
      expect(troubles.some((trouble) => trouble.includes('sandboxed'))).toBe(true);
      await context.close();
    }
  });

  it('[O1.pages] has no fault where there is no such thing, nobody may, nobody is signed in, or a form is refused', async () => {
    await lookAt(await open(admin), 404, below(['/buys/none', '/no-such-page']));
    await lookAt(await open(viewer), 403, below(['/buyers/org_demo_buyer/keys/new']));
    await lookAt(await open(), 401, below(['', '/sign-in', '/sign-in?token=old']));
    const { page, context, troubles } = await open(admin);
    await page.goto(`${agent.baseUrl}/admin/buyers/org_demo_buyer`);
    // Spaces are words to a browser and none to us.
    await page
      .getByRole('textbox', { name: /^Reason/ })
      .first()
      .fill('  ');
    await page.getByRole('button', { name: 'End their sessions there' }).click();
    await page.getByRole('alert').waitFor();
    expect([await faultsOf(page), troubles]).toEqual([[], []]);
    await context.close();
  });

  it('[O1.pages] says in its frame that the store is away, and shows the page once it is back', async () => {
    const { page, context, troubles } = await open(admin);
    isAway = true;
    for (const path of [
      '/admin',
      '/admin/sign-in?token=some',
      '/admin/buys/none',
      '/portal',
      '/portal/sign-in?link=some',
    ]) {
      await context.addCookies([{ name: 'portal_session', value: 'some', url: agent.baseUrl }]);
      const answer = await page.goto(`${agent.baseUrl}${path}`);
      expect([path, answer?.status(), answer?.headers()['retry-after']]).toEqual([path, 503, '5']);
      expect(await page.getByRole('alert').textContent()).toBe('the agent cannot reach its store; try again');
      expect([path, await faultsOf(page), troubles]).toEqual([path, [], []]);
    }
    await page.goto(`${agent.baseUrl}/admin/approvals`);
    isAway = false;
    await page.getByRole('link', { name: 'Try again' }).click();
    await page.getByRole('heading', { level: 1, name: 'Approvals' }).waitFor();
    await context.close();
  });

  it('[O1.queues] the queue pages open without an error of the browser or a request elsewhere', async () => {
    const { page, context, troubles } = await open(viewer, { bypassCSP: false });
    for (const path of ['/queues', '/queues/queue/task-runs', '/queues/queue/task-runs?status=completed']) {
      const answer = await page.goto(`${agent.baseUrl}/admin${path}`);
      await page.getByText('task-runs').first().waitFor();
      expect([path, answer?.status(), troubles]).toEqual([path, 200, []]);
      expect([path, await page.evaluate(BREACHES)]).toEqual([path, []]);
    }
    await context.close();
  });
});
