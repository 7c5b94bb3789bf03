import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { operatorKey } from '../../src/main/wiring/operator-routes.ts';
import { adOrderOf } from '../../src/sales/ad-order/ad-order-of.ts';
import { saidOfBuy } from '../../src/sales/media-buy/said-of-buy.ts';
import { textOf, visitorOf } from '../admin/console/support/visitor.ts';
import type { Visitor } from '../admin/console/support/visitor.ts';
import type { Json } from '../journeys/support/buyer.ts';
import { operate } from '../journeys/support/operator.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { runAgentCommand } from '../main/support/cli.ts';
import { sampleMediaBuy } from '../sales/support/sample-media-buy.ts';
import { describeOnStores } from '../support/stores.ts';
import { accountOf, orderOf, packageForSale } from './support/booking.ts';
import { openPublicAgent } from './support/public-agent.ts';
import type { AskPublic } from './support/public-agent.ts';
import { RELEASES } from './support/public-call.ts';

const WHOLE = {
  po_number: 'PO <b>4711',
  agency_estimate_number: 'EST-1',
  advertiser_industry: 'automotive',
  io_acceptance: { io_id: 'IO-9', accepted_at: '2031-01-01T00:00:00Z', signatory: 'Ada <i>Buyer' },
  ext: { acme: { desk: 7 } },
};
const OF_PACKAGE = { agency_estimate_number: 'EST-1a', context: { line: 'one' }, ext: { acme: { row: 1 } } };

describeOnStores('what a buyer says of a media buy on %s', (store) => {
  let at: TestAgent;
  let ask: AskPublic;
  let viewer: Visitor;
  let line: Json;
  beforeAll(async () => {
    ({ at, ask } = await openPublicAgent(store, { env: { CREATIVE_REVIEW_SECONDS: '0' } }));
    viewer = await visitorOf(at, 'viewer');
    line = await packageForSale(at);
  });
  afterAll(() => at.stop());

  const cli = async (...args: string[]) =>
    runAgentCommand([...args, '--url', at.baseUrl, '--key', await operatorKey(at.core)], {});

  it.each(RELEASES)('[D3.said] is told again in all that %s has a place for', async (release) => {
    const name = release === '3.2' ? { name: 'Spring' } : {};
    const made = await ask(release, 'create_media_buy', orderOf({ ...line, ...OF_PACKAGE }, { ...WHOLE, ...name }));
    const [{ package_id }] = made['packages'] as [{ package_id: string }];
    expect(made).toMatchObject({ ext: WHOLE.ext, ...name, packages: [OF_PACKAGE] });
    const { media_buy_id } = made;
    const read = await ask(release, 'get_media_buys', { media_buy_ids: [media_buy_id] });
    const [row] = read['media_buys'] as [Json];
    expect(row).toMatchObject({ ext: WHOLE.ext, ...name, packages: [OF_PACKAGE] });

    const change = (more: Json, package_more: Json) => ({
      ...{ account: accountOf('acme.example'), media_buy_id, idempotency_key: randomUUID() },
      ...{ packages: [{ package_id, ...package_more }], ...more },
    });
    const own = { context: { line: 'changed' }, ext: { acme: { row: 2 } } };
    const changed = await ask(release, 'update_media_buy', change({ ext: { desk: 8 } }, { budget: 19_000, ...own }));
    expect(changed).toMatchObject({ ext: { desk: 8 }, ...name, affected_packages: [{ ...OF_PACKAGE, ...own }] });
    const still = await ask(release, 'update_media_buy', change({ ext: { desk: 9 } }, { paused: false }));
    expect(still).toMatchObject({ ext: { desk: 9 }, affected_packages: [] });
    // What was said when it was booked stands.
    const again = await ask(release, 'get_media_buys', { media_buy_ids: [media_buy_id] });
    expect(again['media_buys']).toMatchObject([{ ext: WHOLE.ext, packages: [OF_PACKAGE] }]);
  });

  it('[D3.said] of buy_products and control_media_buy, too', async () => {
    const { feed_version } = await ask('3.2', 'list_products', {});
    const { packages: _packages, brand: _brand, ...order } = orderOf(line);
    const said = { purchase_order_ref: 'PO-buy', ext: WHOLE.ext, name: 'Autumn' };
    const purchases = [{ ...line, ...OF_PACKAGE }];
    const made = await ask('3.2', 'buy_products', { ...order, ...said, feed_version, purchases });
    expect(made).toMatchObject({
      ...{ ext: WHOLE.ext, name: 'Autumn' },
      accepted_proposal: { commercial_terms: { purchase_order_ref: 'PO-buy', purchases: [OF_PACKAGE] } },
    });
    const { media_buy_id, revision } = made;
    const paused = await ask('3.2', 'control_media_buy', {
      ...{ account: accountOf('acme.example'), media_buy_id, revision, idempotency_key: randomUUID() },
      ...{ paused: true, ext: { desk: 1 } },
    });
    expect(paused).toMatchObject({ ext: { desk: 1 } });
    const listed = (await operate(at, 'GET', '/media-buys?po_number=PO-buy')).body;
    expect(listed['media_buys']).toMatchObject([{ media_buy_id, po_number: 'PO-buy' }]);
  });

  it('[D3.said] is on the page of the media buy, in the API and at the terminal, and its PO number finds it', async () => {
    const made = await ask(
      '3.1',
      'create_media_buy',
      orderOf({ ...line, ...OF_PACKAGE }, { ...WHOLE, plan_id: 'plan-3' }),
    );
    const media_buy_id = String(made['media_buy_id']);
    const { body } = await operate(at, 'GET', `/media-buys/${media_buy_id}`);
    const [{ package_id }] = made['packages'] as [{ package_id: string }];
    const said = { ...WHOLE, plan_id: 'plan-3' };
    expect(body).toMatchObject({ said, said_of_packages: [{ package_id, ...OF_PACKAGE }] });

    const page = await viewer.get(`/buys/${media_buy_id}`);
    expect(page.html).not.toContain('<b>4711');
    const text = textOf(page.html);
    for (const words of [
      'PO <b>4711',
      'EST-1',
      'automotive',
      'IO-9',
      'Ada <i>Buyer',
      'plan-3',
      'EST-1a',
      '"desk": 7',
    ]) {
      expect(text).toContain(words);
    }
    expect(textOf((await viewer.get('/buys')).html)).toContain('PO <b>4711');
    const found = await viewer.get(`/search?${new URLSearchParams({ q: WHOLE.po_number }).toString()}`);
    expect(found.html).toContain(`href="/admin/buys/${media_buy_id}"`);

    const shown = await cli('buys', 'show', media_buy_id);
    for (const words of [WHOLE.po_number, 'EST-1', 'IO-9', 'plan-3', 'EST-1a']) expect(shown.stdout).toContain(words);
    const listed = await cli('buys', 'list', '--po-number', WHOLE.po_number);
    expect(listed.stdout).toContain(media_buy_id);
    expect((await cli('buys', 'list', '--po-number', 'PO')).stdout).not.toContain(media_buy_id);
  });

  it('[D3.said] what a change said is on the page of its task', async () => {
    const made = await ask('3.1', 'create_media_buy', orderOf(line));
    const { media_buy_id } = made;
    await ask('3.1', 'update_media_buy', {
      ...{ account: accountOf('acme.example'), media_buy_id, idempotency_key: randomUUID() },
      ...{ paused: true, ext: { desk: 'of the change' } },
    });
    const { body } = await operate(at, 'GET', `/media-buys/${String(media_buy_id)}`);
    const { task_id } = (body['history'] as { task_id: string }[]).at(-1) ?? { task_id: '' };
    expect((await operate(at, 'GET', `/tasks/${task_id}`)).body).toMatchObject({
      said: { ext: { desk: 'of the change' } },
    });
    expect(textOf((await viewer.get(`/tasks/${task_id}`)).html)).toContain('of the change');
  });

  it('[D3.renamed] a media buy is renamed by 3.2, at the ad server too, and by nobody who asks in an earlier release', async () => {
    const { account, media_buy_id, revision } = await ask('3.2', 'create_media_buy', orderOf(line, { name: 'Spring' }));
    const { account_id } = account as { account_id: string };
    const change = (name: unknown, more: Json = {}): Json => ({
      ...{ account: { account_id }, media_buy_id, idempotency_key: randomUUID(), name, ...more },
    });
    const stored = async () => (await at.core.sales.mediaBuys.get(String(media_buy_id))) ?? expect.unreachable();
    const before = await stored();
    const first = change('Summer', { revision });
    const told = { name: 'Summer', revision: Number(revision) + 1, affected_packages: [] };
    expect(await ask('3.2', 'update_media_buy', first)).toMatchObject(told);
    const renamed = await stored();
    expect(renamed).toMatchObject({ name: 'Summer', open_change: null, status: before.status });
    expect(renamed.history.at(-1)).toMatchObject({ action: 'updated', actor: 'buyer', note: 'name' });
    expect(renamed.held?.digest).not.toBe(before.held?.digest);
    // What it is called already is no change.
    expect(await ask('3.2', 'update_media_buy', change('Summer'))).toMatchObject({ revision: told.revision });
    for (const release of ['3.0', '3.1'] as const) {
      const refused = { code: 'UNSUPPORTED_FEATURE', field: 'name' };
      expect(await ask(release, 'update_media_buy', change('Autumn'))).toMatchObject({ adcp_error: refused });
    }
    for (const name of [' ', 'x'.repeat(256)]) {
      expect(await ask('3.2', 'update_media_buy', change(name))).toMatchObject({ adcp_error: { field: 'name' } });
    }
    const control = change('Autumn', { revision: told.revision });
    expect(await ask('3.2', 'control_media_buy', control)).toMatchObject({ revision: told.revision + 1 });
    expect(await ask('3.2', 'update_media_buy', first)).toMatchObject({ ...told, replayed: true });
    for (const release of RELEASES) {
      const { media_buys } = await ask(release, 'get_media_buys', { media_buy_ids: [media_buy_id] });
      expect((media_buys as [Json])[0]['name']).toBe(release === '3.2' ? 'Autumn' : undefined);
    }
    const { body } = await operate(at, 'GET', `/media-buys/${String(media_buy_id)}`);
    expect(body).toMatchObject({ said: { name: 'Autumn' } });
    const ended = change('Winter', { canceled: true });
    expect(await ask('3.2', 'update_media_buy', ended)).toMatchObject({ name: 'Autumn', media_buy_status: 'canceled' });
  });

  it('[D3.said] what is too long, or of another form, is refused by its field', async () => {
    for (const [field, value] of Object.entries({
      ...{ po_number: 'x'.repeat(256), agency_estimate_number: 'x'.repeat(101), ext: 'text', io_acceptance: 'yes' },
    })) {
      const refused = await ask('3.1', 'create_media_buy', orderOf(line, { [field]: value }));
      expect(refused).toMatchObject({ adcp_error: { code: 'VALIDATION_ERROR', field } });
    }
  });

  it('[S6] [D3.said] what an earlier release kept is read, and what it kept in another form hides nothing', () => {
    expect(saidOfBuy({ asked: { po_number: 'PO-1', ext: 'text', packages: [] } })).toEqual({ po_number: 'PO-1' });
    expect(saidOfBuy({ asked: undefined })).toEqual({});
  });

  it('[D3.said] [D3.renamed] the ad server is told the PO number and the name with the order, and an order without one is as it was', () => {
    const facts = { ad_server_id: 'default', approvedVersion: () => 1, configOf: () => ({}) };
    const buy = sampleMediaBuy();
    const [without, told] = [buy, { ...buy, po_number: 'PO-1' }].map((one) => adOrderOf(one, 'running', 1, facts));
    expect(told).toMatchObject({ po_number: 'PO-1' });
    expect(without).not.toHaveProperty('po_number');
    expect(told?.digest).not.toBe(without?.digest);
    expect(without?.name).toBe(buy.buyer_ref);
    expect(adOrderOf({ ...buy, name: 'Spring' }, 'running', 1, facts).name).toBe('Spring');
  });
});
