import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Accounts, openAccount } from '../../../src/sales/account/account.ts';
import type { AccountKey, BuyerAccount } from '../../../src/sales/account/account.ts';
import { withSubscriptions } from '../../../src/webhooks/subscription/subscription.ts';
import { operate } from '../../journeys/support/operator.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { sampleMediaBuy } from '../../sales/support/sample-media-buy.ts';
import { mediaBuyId, organizationId, taskId } from '../../support/ids.ts';
import { describeOnStores } from '../../support/stores.ts';
import { formsIn, textOf, visitorOf } from './support/visitor.ts';
import type { Visitor } from './support/visitor.ts';

const BUYER = organizationId('org_demo_buyer');

describeOnStores('[O1.pages] the accounts that buyers buy under, in the console, on %s', (store) => {
  let agent: TestAgent;
  let admin: Visitor;
  let viewer: Visitor;
  beforeAll(async () => {
    agent = await startTestAgent(store, { working: false });
    [admin, viewer] = await Promise.all([visitorOf(agent, 'admin'), visitorOf(agent, 'viewer')]);
  });
  afterAll(() => agent.stop());

  const accounts = () => agent.core.store.collection(Accounts);
  async function account(more: Partial<AccountKey> = {}): Promise<BuyerAccount> {
    const brand_domain = `${randomUUID()}.example`;
    return openAccount(agent.core.sales, BUYER, {
      ...{ brand_domain, brand_id: null, operator: 'agency.example', sandbox: false, ...more },
    });
  }
  const statusOf = async (account_id: string) => (await accounts().get(account_id))?.status;
  const buttons = (html: string) => formsIn(html).map(({ button }) => button);

  it('are listed by state and buyer, with cursors, each with its own page, which a buyer’s page and a buy’s lead to', async () => {
    const [one, other] = [await account(), await account({ sandbox: true })];
    await operate(agent, 'POST', `/buyer-accounts/${other.account_id}/move`, { status: 'suspended', reason: 'owes' });
    const all = textOf((await viewer.get('/buyer-accounts')).html);
    for (const { account_id } of [one, other]) expect(all).toContain(`/admin/buyer-accounts/${account_id}`);
    for (const filter of ['', `&organization_id=${BUYER}`]) {
      const { html } = await viewer.get(`/buyer-accounts?status=suspended${filter}`);
      expect([html.includes(one.account_id), html.includes(other.account_id)]).toEqual([false, true]);
    }
    const first = await viewer.get('/buyer-accounts?limit=1');
    const next = textOf(/<a href="([^"]*)">Next page/.exec(first.html)?.[1] ?? '');
    const second = await viewer.get(next.replace('/admin', ''));
    // Which is the newer of two of one millisecond is for nobody to say.
    const shown = [first, second].map(({ html }) => [one, other].filter(({ account_id }) => html.includes(account_id)));
    expect(shown.map(({ length }) => length)).toEqual([1, 1]);
    expect(new Set(shown.flat()).size).toBe(2);
    expect((await viewer.get(`/buyers/${BUYER}`)).html).toContain('/admin/buyer-accounts?organization_id=');
    expect((await viewer.get('/buyer-accounts/acc_unknown')).status).toBe(404);
    expect((await viewer.get('/buyer-accounts?status=closed')).html).toContain('No account is closed.');
  });

  it('each says whose it is, whom it bills, what is bought and spent under it, and who hears of it, without secrets', async () => {
    const { account_id } = await account({ sandbox: true });
    const media_buy_id = mediaBuyId(`mb_${randomUUID()}`);
    const ids = { media_buy_id, task_id: taskId(randomUUID()), organization_id: BUYER, account_id };
    const buy = sampleMediaBuy({ ...ids, buyer_ref: media_buy_id });
    await agent.core.sales.mediaBuys.insert(buy);
    await accounts().update(account_id, (row) =>
      withSubscriptions(row, {
        ...{ set_by: 'a test', silenced: [] },
        subscribers: [
          {
            ...{ subscriber_id: 'books', event_types: ['account.status_changed'], active: true, is_proved: true },
            registration: {
              ...{ registration_id: 'r', channel: 'mcp', url: 'https://books.example/hook?secret=1', mode: 'rfc9421' },
              created_at: new Date().toISOString(),
            },
          },
        ],
      }),
    );
    const { body } = await operate(agent, 'GET', `/buyer-accounts/${account_id}`);
    expect(body).toMatchObject({
      ...{ account_id, organization_id: BUYER, billing: 'operator', sandbox: true, has_more_buys: false },
      media_buys: [{ media_buy_id, account_id }],
      money: [{ currency: buy.currency, media_buys: 1, spent: 0 }],
      notification_configs: [{ subscriber_id: 'books', url: 'https://books.example/hook', active: true }],
    });
    const { html } = await viewer.get(`/buyer-accounts/${account_id}`);
    for (const said of [media_buy_id, 'https://books.example/hook', 'agency.example', `/admin/buyers/${BUYER}`])
      expect(html).toContain(said);
    expect(JSON.stringify(body) + html).not.toContain('secret=1');
    expect((await viewer.get(`/buys/${media_buy_id}`)).html).toContain(`/admin/buyer-accounts/${account_id}`);
    const bought = await operate(agent, 'GET', `/media-buys?organization_id=${BUYER}&account_id=${account_id}`);
    expect(bought.body).toMatchObject({ media_buys: [{ media_buy_id }], has_more: false });
    expect((await operate(agent, 'GET', `/media-buys?account_id=${account_id}`)).status).toBe(422);
  });

  it('[O1.undo] are moved by an admin with a reason, which is undone; for good only by who types which', async () => {
    const { account_id } = await account();
    const page = `/buyer-accounts/${account_id}`;
    expect(buttons((await viewer.get(page)).html)).toEqual([]);
    const sent = await admin.send(await admin.form(page, 'Suspend'), { reason: 'owes' });
    expect(await statusOf(account_id)).toBe('suspended');
    const back = (sent.headers.get('location') ?? '').replace('/admin', '');
    expect((await admin.send(await admin.form(back, 'Undo'))).status).toBe(303);
    expect(await statusOf(account_id)).toBe('active');
    const target = `/actions?target=${encodeURIComponent(page)}`;
    const { actions } = (await operate(agent, 'GET', target)).body as { actions: { action_id: string }[] };
    expect(actions).toMatchObject([
      { input: { status: 'active' }, by: admin.name, undo_of: actions[1]?.action_id },
      { input: { status: 'suspended', reason: 'owes' }, answer: { former_status: 'active' }, by: admin.name },
    ]);

    const reject = await admin.form(page, 'Reject');
    expect((await admin.send(reject, { reason: 'no' })).status).toBe(422);
    expect(await statusOf(account_id)).toBe('active');
    await admin.send(reject, { reason: 'no', _typed: account_id });
    expect(await statusOf(account_id)).toBe('rejected');
    expect(buttons((await admin.get(page)).html)).toEqual([]);
    const { body: listed } = await operate(agent, 'GET', target);
    const [{ action_id }] = listed['actions'] as [{ action_id: string }];
    expect(await operate(agent, 'POST', `/actions/${action_id}/undo`)).toMatchObject({ status: 409 });
  });
});
