import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSignInLink } from '../../../src/admin/sign-in-link.ts';
import { addPerson } from '../../../src/directory/operator/person.ts';
import { mediaBuyInput, send, taskOf } from '../../journeys/support/buyer.ts';
import { approvalOf, operate } from '../../journeys/support/operator.ts';
import type { Listed } from '../../journeys/support/operator.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { until } from '../../support/until.ts';
import { openReceiver, status } from '../../webhooks/support/open-receiver.ts';
import type { Receiver } from '../../webhooks/support/open-receiver.ts';
import { visitorOf } from './support/visitor.ts';
import { chromiumPath as executablePath } from '../support/chromium.ts';

/** What anything may take on a machine that is busy with other things. */
const PATIENCE_MS = 240_000;
/** More than any page has that can be reached. */
const MOST_STEPS = 200;

interface Focused {
  says: string;
  isSeen: boolean;
}

/** What has the focus, by what it is called, and whether one sees so. */
const FOCUSED = `(() => {
  const one = document.activeElement;
  const { top, bottom, left, right, width } = one.getBoundingClientRect();
  const { outlineStyle, outlineWidth } = getComputedStyle(one);
  const isOnScreen = width > 0 && bottom > 0 && top < innerHeight && right > 0 && left < innerWidth;
  return {
    says: (one.labels?.[0]?.firstChild ?? one).textContent.trim(),
    isSeen: one.matches(':focus-visible') && outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1 && isOnScreen,
  };
})()`;

// Needs a browser, which a bare machine lacks; console.test.ts and shown-once.test.ts send the same forms over plain HTTP.
describe.runIf(executablePath !== undefined)('the console by the keyboard alone', () => {
  let agent: TestAgent;
  let receiver: Receiver;
  let browser: Browser;
  beforeAll(async () => {
    receiver = await openReceiver(status(404));
    agent = await startTestAgent('sqlite', { env: { APPROVAL_OVER_USD: '100' } });
    browser = await chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox'] });
  });
  afterAll(async () => {
    await browser.close();
    await agent.stop();
    await receiver.close();
  });

  const waiting = async (): Promise<Listed> => {
    const push_notification_config = { url: receiver.url(), operation_id: 'op-1' };
    return approvalOf(
      agent,
      taskOf(await send(agent, 'create_media_buy', mediaBuyInput(agent, { push_notification_config }))).id,
    );
  };
  const bodyOf = async (path: string) => (await operate(agent, 'GET', path)).body;

  it.each([
    ['with', true],
    ['without', false],
  ] as const)(
    '[O1.forms] signs in, approves, rejects, holds and releases, makes and revokes a key, resends and signs out, %s script',
    async (word, javaScriptEnabled) => {
      const [yes, no] = [await waiting(), await waiting()];
      const delivery_id = await until(async () => {
        const { deliveries } = await bodyOf(`/webhooks/deliveries?task_id=${yes.task_id}&state=rejected`);
        return (deliveries as { delivery_id: string }[])[0]?.delivery_id;
      });
      const made = { name: `Ada ${word}`, role: 'admin', by: 'a test', click: word } as const;
      const holder = await addPerson(agent.core, made);
      const context = await browser.newContext({ javaScriptEnabled, viewport: { width: 1280, height: 800 } });
      context.setDefaultTimeout(PATIENCE_MS);
      const page = await context.newPage();
      const unseen: string[] = [];
      const focused = async () => page.evaluate<Focused>(FOCUSED);

      /** On to what is called so, which must be seen to have the focus. */
      async function reach(name: string): Promise<void> {
        for (let steps = 0; steps < MOST_STEPS; steps += 1) {
          await page.keyboard.press('Tab');
          const { says, isSeen } = await focused();
          if (says !== name) continue;
          if (!isSeen) unseen.push(`${name} at ${page.url()}`);
          return;
        }
        throw new Error(`${name} is not reached by the keyboard at ${page.url()}`);
      }
      /** Presses what is called so; another page comes. */
      async function follow(name: string, to: string): Promise<void> {
        await reach(name);
        await Promise.all([page.waitForURL(to), page.keyboard.press('Enter')]);
      }
      async function write(label: string, words: string): Promise<void> {
        await reach(label);
        await page.keyboard.type(words);
      }
      /** Sends a form: what it did is said on the page it was on, where the focus then is. */
      async function press(button: string, action: string): Promise<void> {
        await follow(button, `**?done=${action}*`);
        // A browser moves the focus once the page has been drawn.
        await until(async () => {
          const { says, isSeen } = await focused();
          return / OK(Undo)?$/.test(says) && isSeen;
        });
      }

      await page.goto(await createSignInLink(agent.core, agent.baseUrl, holder));
      await follow('Sign in', '**/admin');
      await follow(yes.approval_id, `**/approvals/${yes.approval_id}`);
      await press('Approve', 'approvals.approve');
      await follow(yes.media_buy_id, `**/buys/${yes.media_buy_id}`);
      await write('Why it is held back', 'no stock');
      await press('Hold it back', 'buys.hold');
      expect((await bodyOf(`/media-buys/${yes.media_buy_id}`))['on_hold']).toMatchObject({ reason: 'no stock' });
      await press('Release it', 'buys.release');
      expect((await bodyOf(`/media-buys/${yes.media_buy_id}`))['on_hold']).toBeUndefined();

      await follow('Approvals', '**/approvals');
      await follow(no.approval_id, `**/approvals/${no.approval_id}`);
      await write('Reason', 'too dear');
      await press('Reject', 'approvals.reject');
      const verdicts = await Promise.all([yes, no].map(({ approval_id }) => bodyOf(`/approvals/${approval_id}`)));
      expect(verdicts.map(({ status: is, reason }) => [is, reason])).toEqual([
        ['approved', null],
        ['rejected', 'too dear'],
      ]);

      await follow('Buyers', '**/buyers');
      await follow('Demo Buyer', '**/buyers/org_demo_buyer');
      await follow('Make a key', '**/keys/new');
      await write('Name', `by keyboard ${word}`);
      await follow('Make the key', '**/do/buyers/org_demo_buyer/keys/add');
      await follow('I have it; back', '**/buyers/org_demo_buyer');
      await reach('Revoke');
      await page.keyboard.press('Enter');
      await write('Reason', 'a drill');
      await press('Revoke for good', 'buyers.revoke_key');
      const { api_keys } = await bodyOf('/buyers/org_demo_buyer/keys');
      const [newest] = api_keys as [{ name: string; revoked_at: string | null }];
      expect([newest.name, newest.revoked_at !== null]).toEqual([`by keyboard ${word}`, true]);

      await follow('Webhooks', '**/webhooks');
      await follow('Rejected', '**/webhooks?state=rejected');
      await follow(delivery_id, `**/webhooks/${encodeURIComponent(delivery_id)}`);
      const sent = receiver.received.length;
      await press('Send again now', 'webhooks.resend');
      await until(() => receiver.received.length > sent);

      await follow('Sign out', '**/sign-out');
      // The form is sent to the address that it is on, so that there is no other to wait for.
      await reach('Sign out');
      await page.keyboard.press('Enter');
      await page.getByText('You are signed out').waitFor();
      await page.goto(`${agent.baseUrl}/admin`);
      expect(await textOf(page)).toContain('Sign in to the console');
      expect(unseen).toEqual([]);
      await context.close();
    },
  );

  it('[O1.search] what waits, why a webhook fails and whose a key is are three clicks from the overview at most', async () => {
    const { approval_id, task_id } = await waiting();
    const failing = await until(async () => {
      const { deliveries } = await bodyOf(`/webhooks/deliveries?task_id=${task_id}&state=rejected`);
      return (deliveries as { delivery_id: string }[])[0]?.delivery_id;
    });
    const { cookie } = await visitorOf(agent, 'viewer');
    const [name = '', value = ''] = cookie.split('=');
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    context.setDefaultTimeout(PATIENCE_MS);
    await context.addCookies([{ name, value, url: agent.baseUrl }]);
    const page = await context.newPage();
    /** From the overview by links of these names, and no more than three. */
    async function by(...links: (string | undefined)[]): Promise<string> {
      expect(links.length).toBeLessThanOrEqual(3);
      for (const link of links)
        await page
          .getByRole('link', { name: link ?? '', exact: true })
          .first()
          .click();
      await page.waitForLoadState();
      return textOf(page);
    }
    const overview = async () => page.goto(`${agent.baseUrl}/admin`);
    await overview();
    expect(await by(approval_id)).toContain('The request');
    await overview();
    const why = await by('Webhooks', 'Rejected', failing);
    expect(why).toContain('At the receiver:');
    expect(why).toContain('404');
    await overview();
    // Typing and Enter, and a click.
    await page.getByRole('searchbox').fill(`…${agent.apiKey.slice(-4)}`);
    await Promise.all([page.waitForURL('**/search?*'), page.keyboard.press('Enter')]);
    const owner = page.getByRole('row').filter({ hasText: 'org_demo_buyer' }).getByRole('link');
    await Promise.all([page.waitForURL('**/buyers/org_demo_buyer'), owner.first().click()]);
    expect(await textOf(page)).toContain(`…${agent.apiKey.slice(-4)}`);
    await context.close();
  });

  const textOf = async (page: Page) => (await page.locator('body').textContent()) ?? '';
});
