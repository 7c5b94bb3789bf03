import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { mediaBuyInput, send, taskOf } from '../../journeys/support/buyer.ts';
import { approvalOf, operate } from '../../journeys/support/operator.ts';
import type { Listed } from '../../journeys/support/operator.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { describeOnStores } from '../../support/stores.ts';
import { until } from '../../support/until.ts';
import { openReceiver, status } from '../../webhooks/support/open-receiver.ts';
import type { Receiver } from '../../webhooks/support/open-receiver.ts';
import { textOf, visitorOf } from './support/visitor.ts';
import type { Visitor } from './support/visitor.ts';

const REF = `<i>spring ${randomUUID()}`;

describeOnStores('the search of the console on %s', (store) => {
  let agent: TestAgent;
  let receiver: Receiver;
  let viewer: Visitor;
  let sold: Listed;
  beforeAll(async () => {
    receiver = await openReceiver(status(404));
    agent = await startTestAgent(store, { env: { APPROVAL_OVER_USD: '100' } });
    viewer = await visitorOf(agent, 'viewer');
    const push_notification_config = { url: receiver.url(), operation_id: 'op-1' };
    const input = mediaBuyInput(agent, { push_notification_config, buyer_ref: REF });
    sold = await approvalOf(agent, taskOf(await send(agent, 'create_media_buy', input)).id);
  });
  afterAll(async () => {
    await agent.stop();
    await receiver.close();
  });

  const search = (q: string) => viewer.get(`/search?${new URLSearchParams({ q }).toString()}`);

  it('[O1.search] a whole id opens its page, a URL its receiver', async () => {
    const { media_buy_id, task_id, approval_id } = sold;
    const delivery_id = await until(async () => {
      const { body } = await operate(agent, 'GET', `/webhooks/deliveries?task_id=${task_id}`);
      return (body['deliveries'] as { delivery_id: string }[])[0]?.delivery_id;
    });
    const { origin } = new URL(receiver.url());
    for (const [q, path] of [
      [media_buy_id, `/buys/${media_buy_id}`],
      [task_id, `/tasks/${task_id}`],
      [approval_id, `/approvals/${approval_id}`],
      [delivery_id, `/webhooks/${encodeURIComponent(delivery_id)}`],
      ['org_demo_buyer', '/buyers/org_demo_buyer'],
      [` ${receiver.url()} `, `/webhooks/receivers/${encodeURIComponent(origin)}`],
    ] as const) {
      const answer = await search(q);
      expect([q, answer.status, answer.headers.get('location')]).toEqual([q, 303, `/admin${path}`]);
      expect((await viewer.get(path)).status).toBe(200);
    }
  });

  it('[O1.search] else a whole reference finds media buys, and how a name begins organizations', async () => {
    const byRef = await search(REF);
    expect(byRef.status).toBe(200);
    expect(byRef.html).toContain(`href="/admin/buys/${sold.media_buy_id}"`);
    expect(byRef.html).not.toContain('<i>');
    expect((await search(REF.slice(0, -1))).html).not.toContain(sold.media_buy_id);
    const name = `Zebra ${randomUUID()}`;
    const { body } = await operate(agent, 'POST', '/buyers/add', { name });
    for (const q of [name, name.slice(0, 12), `z${name.slice(1, 12)}`]) {
      expect((await search(q)).html).toContain(`href="/admin/buyers/${String(body['organization_id'])}"`);
    }
    expect((await search(name.slice(1))).html).not.toContain(name);
  });

  it('[O1.search] the last four characters of an API key find whose it is, among keys that end alike', async () => {
    const hint = agent.apiKey.slice(-4);
    for (const q of [hint, `…${hint}`, `...${hint}`]) {
      const { status: is, html } = await search(q);
      expect([q, is, html.includes('href="/admin/buyers/org_demo_buyer"')]).toEqual([q, 200, true]);
      expect(textOf(html)).toContain('API key');
    }
    // Nothing else of a key is looked for.
    expect((await search(agent.apiKey.slice(-5))).html).not.toContain('/admin/buyers/org_demo_buyer');
  });

  it('[O1.search] a signing key leads to the keys, and where nothing is the page says what is looked for', async () => {
    const { body } = await operate(agent, 'GET', '/keys');
    const [key] = body['keys'] as [{ kid: string }];
    expect((await search(key.kid)).headers.get('location')).toBe('/admin/keys');
    for (const q of ['', `no-such-${randomUUID()}`]) {
      const { status: is, html } = await search(q);
      expect(is).toBe(200);
      expect(textOf(html)).toContain(
        'the whole reference or PO number of a media buy; the beginning of an organization’s name',
      );
    }
    expect((await search('x'.repeat(513))).status).toBe(422);
  });
});
