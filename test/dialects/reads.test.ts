import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { post, send, taskOf } from '../journeys/support/buyer.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { bodyOf, callPublic, RELEASES, schemaErrors } from './support/public-call.ts';
import type { ShownTask } from './support/public-call.ts';

let at: TestAgent;

beforeAll(async () => {
  at = await startTestAgent('sqlite', { working: false });
});
afterAll(() => at.stop());

describe.each(RELEASES)('in %s', (release) => {
  const ask = async (skill: string, parameters: Record<string, unknown>) =>
    bodyOf(await callPublic(at, skill, { adcp_version: release, ...parameters }));

  it.each([
    ['get_adcp_capabilities', {}],
    ['get_products', { buying_mode: 'brief', brief: 'video for outdoor enthusiasts' }],
    ['get_products', { buying_mode: 'wholesale', pagination: { max_results: 2 } }],
    ['get_products', { buying_mode: 'refine', refine: [{ scope: 'request', ask: 'more audio' }] }],
    ['get_products', { buying_mode: 'wholesale', filters: { signal_targeting: [{ x: 1 }] } }],
    ['list_creative_formats', {}],
    ['list_creative_formats', { wcag_level: 'AA' }],
    ['list_tasks', {}],
  ])('[D3.schema] [D2] %s %j is answered by the official schema', async (skill, parameters) => {
    const context = { trace: 'one', big: 1e21 };
    const body = await ask(skill, { ...parameters, context });
    expect(body).toMatchObject({ status: 'completed', adcp_version: release, context });
    expect(schemaErrors(skill, release, body)).toEqual([]);
  });

  it('[D3.schema] [D1] a task of our own is told of by the official schema', async () => {
    const { id } = taskOf(
      await send(at, 'sync_creatives', at.core.runtime.tasks.get('sync_creatives')?.examples[0]?.input),
    );
    for (const skill of ['get_task_status', 'tasks/get']) {
      const body = await ask(skill, { task_id: id });
      expect(schemaErrors(skill, release, body)).toEqual([]);
      expect(body).toMatchObject({ task_id: id, status: 'submitted', task_type: 'sync_creatives' });
    }
  });

  it('[D1] a task is told of with its result when that is asked for, and with its error', async () => {
    const { id } = await callPublic(at, 'get_products', { adcp_version: release, buying_mode: 'wholesale' });
    const done = await ask('get_task_status', { task_id: id, include_result: true });
    expect(done).toMatchObject({ status: 'completed', result: { products: expect.any(Array) as unknown } });
    expect(done['result']).not.toHaveProperty('total_matching');
    const refused = await callPublic(at, 'get_products', { adcp_version: release, buying_mode: 'refine' });
    const told = await ask('tasks/get', { task_id: refused.id });
    expect(told).toMatchObject({ status: 'rejected', error: { code: 'INVALID_REQUEST', field: 'refine' } });
    const unknown = await ask('get_task_status', { task_id: 'none' });
    expect(unknown).toMatchObject({ adcp_error: { code: 'REFERENCE_NOT_FOUND', field: 'task_id' } });
  });
});

describe('[D3.products] get_products', () => {
  const products = async (parameters: Record<string, unknown>) => {
    const body = bodyOf(await callPublic(at, 'get_products', { adcp_version: '3.1', ...parameters }));
    return { body, ids: (body['products'] as { product_id: string }[]).map(({ product_id }) => product_id) };
  };
  const all = () => products({ buying_mode: 'wholesale', pagination: { max_results: 100 } });

  it('lists the whole catalog by pages, each product once', async () => {
    const { ids } = await all();
    expect(ids.length).toBeGreaterThan(3);
    const seen: string[] = [];
    let cursor: unknown;
    do {
      const pagination = { max_results: 3, ...(cursor !== undefined && { cursor }) };
      const page = await products({ buying_mode: 'wholesale', pagination });
      seen.push(...page.ids);
      const end = page.body['pagination'] as { has_more: boolean; cursor?: string; total_count: number };
      expect(end.total_count).toBe(ids.length);
      expect(end.has_more).toBe(end.cursor !== undefined);
      cursor = end.cursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(ids);
  });

  it('is told that nothing has changed by the versions of the catalog', async () => {
    const { body } = await all();
    const answer = await callPublic(at, 'get_products', {
      adcp_version: '3.1',
      buying_mode: 'wholesale',
      if_wholesale_feed_version: body['wholesale_feed_version'],
    });
    expect(bodyOf(answer)).toMatchObject({ unchanged: true, wholesale_feed_version: body['wholesale_feed_version'] });
    const other = await products({ buying_mode: 'wholesale', if_wholesale_feed_version: 'another' });
    expect(other.ids.length).toBeGreaterThan(3);
  });

  it('tells of a brief that there is more, and where it goes on', async () => {
    const { ids } = await all();
    const asked = (pagination: Record<string, unknown>) =>
      products({ buying_mode: 'brief', brief: 'video', pagination });
    const first = await asked({ max_results: 3 });
    const end = first.body['pagination'] as { has_more: boolean; cursor?: string };
    expect(end).toMatchObject({ has_more: true, cursor: expect.any(String) as unknown });
    const rest = await asked({ max_results: 100, cursor: end.cursor });
    expect(rest.body['pagination']).toEqual({ has_more: false });
    expect([...first.ids, ...rest.ids].toSorted()).toEqual(ids.toSorted());
  });

  it.each([
    ['delivery_type', { delivery_type: 'guaranteed' }, (one: Shown) => one.delivery_type === 'guaranteed'],
    ['channels', { channels: ['olv'] }, (one: Shown) => one.channels.includes('olv')],
    ['is_fixed_price', { is_fixed_price: true }, (one: Shown) => one.pricing_options.some((o) => 'fixed_price' in o)],
    [
      'pricing_currencies',
      { pricing_currencies: ['EUR'] },
      (one: Shown) => one.pricing_options.some(({ currency }) => currency === 'EUR'),
    ],
  ])('filters by %s', async (_, filters, holds) => {
    const whole = (await all()).body['products'] as Shown[];
    const { ids } = await products({ buying_mode: 'wholesale', filters, pagination: { max_results: 100 } });
    expect(ids).toEqual(whole.filter(holds).map(({ product_id }) => product_id));
    expect(ids.length).toBeGreaterThan(0);
  });

  it.each([
    ['a channel that nothing is sold in', { channels: ['print'] }, 'channels'],
    [
      'what no product says of itself',
      { required_performance_standards: [{ metric: 'ivt' }] },
      'required_performance_standards',
    ],
  ])('leaves nothing for %s, and names it', async (_, filters, name) => {
    const { body, ids } = await products({ buying_mode: 'wholesale', filters });
    expect(ids).toEqual([]);
    const count = (await all()).ids.length;
    const excluded_by = { [name]: expect.objectContaining({ count }) as unknown };
    const told = { semantics: 'only', total_candidates: count, excluded_by, unmet_filters: [name] };
    expect(body['filter_diagnostics']).toEqual(told);
  });

  it('by the structures of prices, fixed, auction or either, and names one that nothing is sold by', async () => {
    const whole = (await all()).body['products'] as Shown[];
    const ids = async (...pricing_structures: string[]) => {
      const asked = { buying_mode: 'wholesale', filters: { pricing_structures }, pagination: { max_results: 100 } };
      return (await products({ adcp_version: '3.2', ...asked })).ids;
    };
    const having = (...names: string[]) =>
      whole
        .filter(({ pricing_options }) => pricing_options.some((one) => names.some((name) => name in one)))
        .map(({ product_id }) => product_id);
    const [fixed, auction] = [having('fixed_price'), having('floor_price')];
    expect([fixed.length > 0, auction.length > 0, fixed.length < whole.length]).toEqual([true, true, true]);
    expect(await ids('fixed')).toEqual(fixed);
    expect(await ids('auction', 'contingent')).toEqual(auction);
    expect(await ids('fixed', 'auction')).toEqual(having('fixed_price', 'floor_price'));
    const filters = { pricing_structures: ['contingent'] };
    const none = await products({ adcp_version: '3.2', buying_mode: 'wholesale', filters });
    expect(none.ids).toEqual([]);
    expect(none.body['filter_diagnostics']).toMatchObject({ unmet_filters: ['pricing_structures'] });
  });

  it('by what is shown at most within the days that are asked about', async () => {
    const sold = [...at.core.catalog.products.values()];
    const product = sold.find(({ flight: { min_days, max_days } }) => min_days <= 10 && max_days > 300);
    if (product === undefined) throw new Error('nothing is sold for long');
    const { product_id, forecast, flight } = product;
    const soonestMs = Date.now() + flight.lead_time_days * 86_400_000;
    const date = (days: number) => new Date(soonestMs + days * 86_400_000).toISOString().slice(0, 10);
    const found = async (days: number, filters: Record<string, unknown>) => {
      const min_exposures = Math.floor(forecast.impressions_per_day * days);
      const asked = { filters: { min_exposures, ...filters }, pagination: { max_results: 100 } };
      const { body, ids } = await products({ buying_mode: 'wholesale', ...asked });
      return { has: ids.includes(product_id), diagnostics: body['filter_diagnostics'] };
    };
    const has = async (days: number, filters = {}) => (await found(days, filters)).has;
    const ten = { start_date: date(30), end_date: date(39) };
    expect([await has(10, ten), await has(11, ten)]).toEqual([true, false]);
    // From the first day that it can be booked for.
    const end = { end_date: date(20) };
    expect([await has(15, end), await has(25, end)]).toEqual([true, false]);
    expect(await has(25, { start_date: date(30) })).toBe(true);
    expect([await has(flight.max_days), await has(flight.max_days + 1)]).toEqual([true, false]);
    const { diagnostics } = await found(11, ten);
    const { excluded_by } = diagnostics as { excluded_by: Record<string, { count: number }> };
    const unbooked = (await products({ buying_mode: 'wholesale', filters: ten, pagination: { max_results: 100 } })).ids;
    const least = forecast.impressions_per_day * 11;
    const left = unbooked.filter(
      (id) => (at.core.catalog.products.get(id)?.forecast.impressions_per_day ?? 0) * 10 < least,
    );
    expect(excluded_by['min_exposures']).toEqual({ count: left.length });
    expect(left).toContain(product_id);
  });

  it('[D3.products] tells by filter how many products it alone leaves out, and of one that leaves out none nothing', async () => {
    const whole = (await all()).body['products'] as Shown[];
    const inEuro = (one: Shown) => one.pricing_options.some(({ currency }) => currency === 'EUR');
    const isGuaranteed = (one: Shown) => one.delivery_type === 'guaranteed';
    const filters = { pricing_currencies: ['EUR'], delivery_type: 'guaranteed', min_exposures: 0 };
    const asked = { buying_mode: 'wholesale', filters, pagination: { max_results: 1 } };
    const { body } = await products(asked);
    const counted = (holds: (one: Shown) => boolean) => whole.filter(holds).length;
    expect(body['filter_diagnostics']).toEqual({
      semantics: 'only',
      total_candidates: whole.length,
      excluded_by: {
        pricing_currencies: { count: counted((one) => isGuaranteed(one) && !inEuro(one)), values: ['EUR'] },
        delivery_type: { count: counted((one) => inEuro(one) && !isGuaranteed(one)) },
      },
    });
    expect(counted((one) => !inEuro(one) && !isGuaranteed(one))).toBeGreaterThan(0);
    expect((await products({ buying_mode: 'wholesale' })).body).not.toHaveProperty('filter_diagnostics');
    const narrow = { start_date: '2031-01-01', end_date: '2033-12-31' };
    const both = (await products({ buying_mode: 'wholesale', filters: narrow })).body['filter_diagnostics'];
    const count = expect.any(Number) as unknown;
    expect(both).toMatchObject({ excluded_by: { start_date: { count }, end_date: { count } } });
  });

  it('answers wishes one by one, in their order', async () => {
    const [first = '', second = ''] = (await all()).ids;
    const { body, ids } = await products({
      buying_mode: 'refine',
      refine: [
        { scope: 'product', product_id: first, action: 'omit' },
        { scope: 'product', product_id: second, ask: 'cheaper' },
        { scope: 'product', product_id: 'none' },
        { scope: 'proposal', proposal_id: 'p1', action: 'finalize' },
        { scope: 'request', ask: 'audio' },
      ],
    });
    expect(ids).not.toContain(first);
    expect((body['refinement_applied'] as { status: string }[]).map(({ status }) => status)).toEqual([
      'applied',
      'partial',
      'unable',
      'unable',
      'partial',
    ]);
  });

  it('shows the fields that are asked for, and those that every product has', async () => {
    const { body } = await products({ buying_mode: 'wholesale', fields: ['product_id', 'channels'] });
    const [product] = body['products'] as object[];
    expect(Object.keys(product ?? {})).toContain('channels');
    expect(Object.keys(product ?? {})).not.toContain('delivery_measurement');
  });

  it.each([
    ['no brief', { buying_mode: 'brief' }, 'brief'],
    ['a brief of nothing', { buying_mode: 'brief', brief: '  ' }, 'brief'],
    ['a brief beside wholesale', { buying_mode: 'wholesale', brief: 'x' }, 'brief'],
    ['no wishes', { buying_mode: 'refine' }, 'refine'],
    ['wishes without the mode', { brief: 'x', refine: [{ scope: 'request', ask: 'x' }] }, 'refine'],
    ['an unknown mode', { buying_mode: 'guess' }, 'buying_mode'],
    ['a page of none', { buying_mode: 'wholesale', pagination: { max_results: 0 } }, 'pagination.max_results'],
    ['a cursor of no page', { buying_mode: 'wholesale', pagination: { cursor: 'x' } }, 'pagination.cursor'],
    [
      'a budget that turns round',
      { brief: 'x', filters: { budget_range: { min: 5, max: 1, currency: 'USD' } } },
      'filters.budget_range.max',
    ],
    ['a context that is none', { brief: 'x', context: 'text' }, 'context'],
  ])('[D2.refusals] [D2.errors] refuses %s by the public field', async (_, parameters, field) => {
    const task = await callPublic(at, 'get_products', { adcp_version: '3.1', ...parameters });
    expect(bodyOf(task)).toMatchObject({ status: 'failed', adcp_error: { field, recovery: 'correctable' } });
  });
});

interface Shown {
  product_id: string;
  delivery_type: string;
  channels: string[];
  pricing_options: { currency: string }[];
}

describe('a call', () => {
  it('[D1] runs as the card shows it, pasted as text', async () => {
    const card = (await (
      await fetch(`${at.baseUrl}/.well-known/agent-card.json`, { headers: { 'A2A-Version': '1.0' } })
    ).json()) as {
      skills: { id: string; examples?: string[] }[];
    };
    const own = card.skills.filter(({ id }) => !at.core.runtime.tasks.has(id));
    expect(own.map(({ id }) => id)).toEqual([
      ...['get_adcp_capabilities', 'list_products', 'buy_products', 'control_media_buy', 'tasks/get'],
    ]);
    for (const [n, example] of own.flatMap(({ examples = [] }) => examples).entries()) {
      const message = { messageId: `pasted-${n}`, role: 'ROLE_USER', parts: [{ text: example }] };
      const { result } = await post(at, { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } });
      expect(bodyOf(result?.['task'] as ShownTask)).toHaveProperty('adcp_version', '3.1');
    }
  });

  it('[D1] [D1.release] is in the public protocol by its skill alone, and is told which releases there are', async () => {
    const body = bodyOf(await callPublic(at, 'get_adcp_capabilities', {}));
    expect(body).toMatchObject({
      adcp_version: '3.1',
      adcp: { supported_versions: ['3.0', '3.1', '3.2', '3.2-beta.5', '3.2-rc.7'] },
    });
    const alias = bodyOf(await callPublic(at, 'get_adcp_capabilities', { adcp_version: '3.2-beta.5' }));
    expect(alias['adcp_version']).toBe('3.2-beta.5');
    const major = bodyOf(await callPublic(at, 'get_adcp_capabilities', { adcp_major_version: 3 }));
    expect(major['adcp_version']).toBe('3.0');
  });

  it('[D1] of a shared name without a mark is our own', async () => {
    const task = await callPublic(at, 'get_products', { brief: 'video' });
    expect(bodyOf(task)).not.toHaveProperty('adcp_version');
    expect(bodyOf(task)).toHaveProperty('total_matching');
  });

  it('[D1] of a shared name is public by the extension that the client names', async () => {
    const message = {
      messageId: 'm',
      role: 'ROLE_USER',
      parts: [{ data: { skill: 'list_creative_formats', input: {} } }],
    };
    const call = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } };
    const uri = 'https://adcontextprotocol.org/extensions/adcp/v3';
    const { result } = await post(at, call, { 'A2A-Extensions': uri });
    expect(bodyOf(result?.['task'] as ShownTask)).toHaveProperty('adcp_version', '3.1');
  });

  it('[D2.refusals] that is refused is a task that failed on 1.0, completed on 0.3, and can be read again', async () => {
    const parameters = { adcp_version: '9.9', context: { mine: true } };
    const task = await callPublic(at, 'get_products', parameters);
    expect(task.status.state).toBe('TASK_STATE_FAILED');
    const body = bodyOf(task);
    const error = { code: 'VERSION_UNSUPPORTED', field: 'adcp_version', recovery: 'correctable' };
    expect(body).toMatchObject({ status: 'failed', adcp_error: error, errors: [error], context: { mine: true } });
    const read = await post(at, { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: task.id } });
    expect(bodyOf(read.result as unknown as ShownTask)).toEqual(body);

    const message = {
      kind: 'message',
      messageId: 'x',
      role: 'user',
      parts: [{ kind: 'data', data: { skill: 'get_products', parameters } }],
    };
    const old = { jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } };
    const { result } = await post(at, old, { 'a2a-version': '' });
    expect((result as { status?: { state: string } }).status?.state).toBe('completed');
    expect((result as unknown as ShownTask).artifacts[0]?.parts.map((part) => Object.keys(part)[1])).toEqual([
      'text',
      'data',
    ]);
  });

  it('[D2.refusals] that cannot be spoken yet, or at all, is refused by name', async () => {
    for (const skill of ['list_authorized_properties', 'list_products', 'no_such_task']) {
      const task = await callPublic(at, skill, { adcp_version: '3.1', idempotency_key: 'k'.repeat(16) });
      expect(bodyOf(task)).toMatchObject({ adcp_error: { code: 'UNSUPPORTED_FEATURE' } });
    }
  });

  it.each([
    ['get_media_buy_delivery', { start_date: '2027-02-30' }, 'start_date'],
    ['get_products', { brief: 'x', filters: { end_date: '2027-13-01' } }, 'filters.end_date'],
  ])('[D2.refusals] for a day that there is not is refused by name: %s', async (skill, parameters, field) => {
    const task = await callPublic(at, skill, { adcp_version: '3.1', ...parameters });
    expect(bodyOf(task)).toMatchObject({ adcp_error: { code: 'VALIDATION_ERROR', field } });
  });

  it('[D2.refusals] tells no two ids apart that are nobody’s', async () => {
    const [one, other] = await Promise.all(
      ['mb_one', 'mb_other'].map(async (id) =>
        bodyOf(await callPublic(at, 'get_media_buy_delivery', { adcp_version: '3.1', media_buy_ids: [id] })),
      ),
    );
    expect(one).toMatchObject({ adcp_error: { code: 'MEDIA_BUY_NOT_FOUND', field: 'media_buy_ids[0]' } });
    expect(other?.['adcp_error']).toEqual(one?.['adcp_error']);
  });

  it('[D2] passes over fields that it does not know', async () => {
    const others = Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`f${n}`, n]));
    const task = await callPublic(at, 'get_products', { adcp_version: '3.1', brief: 'x', ...others });
    expect(bodyOf(task)['status']).toBe('completed');
  });

  it('[D2.refusals] without a credential is refused by the wire', async () => {
    await expect(callPublic({ ...at, apiKey: 'wrong' }, 'get_adcp_capabilities', {})).rejects.toThrow('UNAUTHORIZED');
  });

  it('[D2.task] that names the task before begins a new one in its conversation', async () => {
    const first = await callPublic(at, 'get_products', { adcp_version: '3.1', brief: 'video' });
    for (const taskId of [first.id, 'unknown']) {
      const next = await callPublic(at, 'list_creative_formats', { adcp_version: '3.1' }, { taskId });
      expect(next.id).not.toBe(first.id);
      expect(bodyOf(next)['status']).toBe('completed');
      if (taskId === first.id) expect(next.contextId).toBe(first.contextId);
    }
  });

  it('[D2] twice by the same message is the same task', async () => {
    const first = await callPublic(at, 'get_products', { adcp_version: '3.1', brief: 'video' }, { messageId: 'same' });
    const again = await callPublic(at, 'get_products', { adcp_version: '3.1', brief: 'video' }, { messageId: 'same' });
    expect(again.id).toBe(first.id);
    expect(bodyOf(again)).toEqual({ ...bodyOf(first), replayed: true });
  });
});
