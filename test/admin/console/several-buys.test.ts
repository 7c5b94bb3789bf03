import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { OperatorActions } from '../../../src/admin/operator/actions/action.ts';
import { actingAs, operate } from '../../journeys/support/operator.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { describeOnStores } from '../../support/stores.ts';
import { makeBuy } from '../../tasks/support/calls.ts';
import { formsIn, textOf, visitorOf } from './support/visitor.ts';
import type { Visitor } from './support/visitor.ts';

describeOnStores('[B2.several] several media buys at once, on %s', (store) => {
  let agent: TestAgent;
  let ann: { authorization: string };
  let operator: Visitor;
  let viewer: Visitor;
  beforeAll(async () => {
    agent = await startTestAgent(store);
    ann = await actingAs(agent, 'Ann');
    [operator, viewer] = await Promise.all([visitorOf(agent, 'operator'), visitorOf(agent, 'viewer')]);
  });
  afterAll(() => agent.stop());

  const bought = async (count: number) => {
    const buys = await Promise.all(Array.from({ length: count }, () => makeBuy(agent)));
    return buys.map(({ media_buy_id }) => media_buy_id);
  };
  const act = (path: string, body: object, headers: Record<string, string> = {}) =>
    operate(agent, 'POST', `/media-buys${path}`, body, { ...ann, ...headers });
  const reasonOf = async (id: string) =>
    ((await operate(agent, 'GET', `/media-buys/${id}`)).body['on_hold'] as { reason?: string } | undefined)?.reason;
  const recorded = async (id: string) => {
    const { rows } = await agent.core.store
      .collection(OperatorActions)
      .find({ where: { target: `/media-buys/${id}` }, sort: { field: 'at', direction: 'asc' } });
    return rows.map(({ action, by, outcome }) => [action, by, outcome].join(' '));
  };
  const chosen = (ids: readonly string[]) => `/buys/several?${ids.map((id) => `media_buy_id=${id}`).join('&')}`;

  it('wait for nobody where no threshold is set, as the empty page of approvals says', async () => {
    expect(textOf((await viewer.get('/approvals')).html)).toContain(
      'No threshold is set, so that only what is above an amount of the buyer’s own will',
    );
  });

  it('are held and released each by itself, with what became of each, on record one by one, once a click', async () => {
    const [one = '', over = '', two = ''] = await bought(3);
    expect(
      (await operate(agent, 'POST', `/media-buys/${over}/cancel`, { reason: 'a drill', confirm: over })).status,
    ).toBe(200);
    const body = { media_buy_ids: [one, over, 'mb_unknown', two], reason: 'no stock' };
    const click = { 'idempotency-key': randomUUID() };
    const done = await act('/hold', body, click);
    expect([done.status, done.body]).toEqual([
      200,
      {
        ...{ done: 2, refused: 2 },
        media_buys: [
          { media_buy_id: one, outcome: 'done', status: expect.any(String) as string },
          {
            media_buy_id: over,
            outcome: 'refused',
            code: 'INVALID_STATE',
            message: expect.stringContaining('canceled') as string,
          },
          { media_buy_id: 'mb_unknown', outcome: 'refused', code: 'NOT_FOUND', message: expect.any(String) as string },
          { media_buy_id: two, outcome: 'done', status: expect.any(String) as string },
        ],
      },
    ]);
    expect([await reasonOf(one), await reasonOf(two), await reasonOf(over)]).toEqual([
      'no stock',
      'no stock',
      undefined,
    ]);
    expect((await act('/hold', body, click)).body).toEqual(done.body);
    expect(await recorded(one)).toEqual(['buys.hold Ann done']);
    expect(await recorded(over)).toEqual([expect.stringContaining('buys.cancel'), 'buys.hold Ann refused']);
    const freed = await act('/release', { media_buy_ids: `${one},${over}` });
    expect(freed.body).toMatchObject({ done: 1, refused: 1 });
    expect([await reasonOf(one), await reasonOf(two)]).toEqual([undefined, 'no stock']);
    expect(await recorded(one)).toEqual(['buys.hold Ann done', 'buys.release Ann done']);
  });

  it('are refused by name where none is named, one twice, too many, or no reason, and by who may only look', async () => {
    const [one = ''] = await bought(1);
    const many = Array.from({ length: 51 }, (_, i) => `mb_${i}`);
    for (const media_buy_ids of [[], [one, one], many, '']) {
      const refused = await act('/hold', { media_buy_ids, reason: 'no stock' });
      expect(refused).toMatchObject({ status: 422, body: { error: { code: 'VALIDATION_ERROR' } } });
      expect(refused.body.error?.field).toMatch(/^media_buy_ids/);
    }
    expect((await act('/hold', { media_buy_ids: [one] })).body.error?.field).toBe('reason');
    const vic = await actingAs(agent, 'Vic', 'viewer');
    expect((await act('/hold', { media_buy_ids: [one], reason: 'no' }, vic)).status).toBe(403);
    expect([await reasonOf(one), await recorded(one)]).toEqual([undefined, []]);
  });

  it('are ticked in the list, shown with how many they are before it is done, and answered row by row, without script', async () => {
    const [one = '', two = '', other = ''] = await bought(3);
    const { html } = await operator.get('/buys');
    expect(html).toContain('<form class="pick" id="chosen" method="get" action="/admin/buys/several">');
    for (const id of [one, two]) expect(html).toContain(`name="media_buy_id" value="${id}" aria-label="Choose ${id}"`);
    expect((await viewer.get('/buys')).html).not.toContain('name="media_buy_id"');

    const page = await operator.get(chosen([one, two]));
    expect(formsIn(page.html).map(({ button }) => button)).toEqual(['Hold 2 media buys']);
    expect(page.html).not.toContain(other);
    const form = await operator.form(chosen([one, two]), 'Hold 2 media buys');
    const held = await operator.send(form, { reason: 'no stock' });
    expect(held.status).toBe(200);
    expect(textOf(held.html)).toContain('<h1>Held 2 of 2 media buys</h1>');
    for (const id of [one, two])
      expect([await reasonOf(id), await recorded(id)]).toEqual(['no stock', [`buys.hold ${operator.name} done`]]);
    expect((await operator.send(form, { reason: 'no stock' })).html).toContain('Held 2 of 2 media buys');
    expect(await recorded(one)).toHaveLength(1);

    const mixed = formsIn((await operator.get(chosen([one, two, other]))).html);
    expect(mixed.map(({ button }) => button)).toEqual(['Hold 1 media buy', 'Release 2 media buys']);
    // One of them is released by somebody else meanwhile.
    const release = await operator.form(chosen([one, two]), 'Release 2 media buys');
    expect((await act(`/${one}/release`, {})).status).toBe(200);
    const freed = await operator.send(release);
    expect(textOf(freed.html)).toMatch(/<h1>Released [12] of 2 media buys<\/h1>/);
    expect(await reasonOf(two)).toBeUndefined();
    expect(formsIn((await viewer.get(chosen([one, two]))).html)).toEqual([]);
  });

  it('says what to do where none was chosen, and refuses more than a page', async () => {
    expect(textOf((await operator.get('/buys/several')).html)).toContain('None was chosen.');
    const many = Array.from({ length: 51 }, (_, i) => `mb_${i}`);
    expect((await operator.get(chosen(many))).status).toBe(422);
    expect((await operator.get(chosen(['mb_unknown']))).status).toBe(404);
  });

  it('[O1.pages] whoever came from a filtered list gets back to it, having done something, and having done nothing', async () => {
    const [one = '', two = ''] = await bought(2);
    const list = '/buys?status=all&organization_id=org_demo_buyer';
    const { html } = await operator.get(list);
    const [, from = ''] = /<input type="hidden" name="from" value="([^"]*)">/.exec(html) ?? [];
    const place = `${chosen([one, two])}&from=${encodeURIComponent(textOf(from))}`;
    const back = `href="/admin${list}"`;
    const page = await operator.get(place);
    expect(textOf(page.html)).toContain(`<a ${back}>Back, and do nothing</a>`);
    const form = await operator.form(place, 'Hold 2 media buys');
    // Which were chosen stays in the address that it leads back to.
    expect(new URL(form.fields['_back'] ?? '', 'http://a').searchParams.getAll('media_buy_id')).toEqual([one, two]);
    const held = await operator.send(form, { reason: 'no stock' });
    expect(textOf(held.html)).toContain(`<a ${back}>Back to the media buys</a>`);
    const elsewhere = await operator.get(`${chosen([one])}&from=${encodeURIComponent('//evil.example/admin')}`);
    expect(elsewhere.html).not.toMatch(/href="[^"]*evil/);
    expect(elsewhere.html).toContain('<a href="/admin/buys">Back, and do nothing</a>');
  });
});
