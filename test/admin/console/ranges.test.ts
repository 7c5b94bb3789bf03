import { afterAll, beforeAll, expect, it } from 'vitest';
import { operatorRanges, ResendRanges } from '../../../src/admin/operator/webhooks/resend-range.ts';
import { operatorKey, operatorDeps } from '../../../src/main/wiring/operator-routes.ts';
import { Deliveries, Delivery } from '../../../src/webhooks/delivery/delivery.ts';
import { operate } from '../../journeys/support/operator.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { runAgentCommand } from '../../main/support/cli.ts';
import { describeOnStores } from '../../support/stores.ts';
import { until } from '../../support/until.ts';
import { formsIn, textOf, visitorOf } from './support/visitor.ts';
import type { Visitor } from './support/visitor.ts';

const START_MS = Date.parse('2026-01-01T00:00:00Z');
const DESTINATION = 'https://buyer.example';

describeOnStores('[O1.pages] a range of webhooks in the console, on %s', (store) => {
  // Each is a row that is read and written: over a wire 10,000 take a minute.
  const many = store === 'sqlite' ? 10_000 : 240;
  let agent: TestAgent;
  let operator: Visitor;
  let viewer: Visitor;
  beforeAll(async () => {
    // Nobody works, so that it stands still where a test looks at it.
    agent = await startTestAgent(store, { working: false });
    [operator, viewer] = await Promise.all([visitorOf(agent, 'operator'), visitorOf(agent, 'viewer')]);
  });
  afterAll(() => agent.stop());

  const deliveries = () => agent.core.store.collection(Deliveries);
  const ranges = () => agent.core.store.collection(ResendRanges);
  const sample = Delivery.parse({
    ...{
      delivery_id: '',
      task_id: '',
      organization_id: 'org_demo_buyer',
      task_type: 'create_media_buy',
      subject_id: null,
    },
    ...{ sequence: 1, event: 'working', registration_id: '', url: `${DESTINATION}/hook`, destination: DESTINATION },
    ...{ mode: 'rfc9421', idempotency_key: 'key', body: '{"idempotency_key":"key"}', is_body_sealed: false },
    ...{ state: 'exhausted', attempts: [], next_attempt_at: null, created_at: '', updated_at: '', revision: 1 },
    expires_at: new Date(Date.now() + 86_400_000).toISOString(),
  });
  const rows = (name: string, count: number) =>
    Array.from({ length: count }, (_, i) => ({
      ...{ ...sample, delivery_id: `${name}-${i}`, task_id: name, registration_id: i % 4 === 0 ? 'wh_a' : 'wh_b' },
      created_at: new Date(START_MS + i).toISOString(),
    }));
  const cli = async (...args: string[]) => {
    const at = ['--url', agent.baseUrl, '--key', await operatorKey(agent.core), '--json'];
    return JSON.parse((await runAgentCommand(['webhooks', ...args, ...at], {})).stdout) as Record<string, unknown>;
  };
  const heading = (html: string) => textOf(/<h1[^>]*>([^<]*)/.exec(html)?.[1] ?? '');
  const confirmed = async (task_id: string, button: string) => {
    const form = await operator.form(`/webhooks/range-count?state=exhausted&task_id=${task_id}`, button);
    return form;
  };
  /** Taken up over and over, as workers do. */
  const goneOn = (range_id: string) =>
    until(async () => {
      await ranges().update(range_id, (row) =>
        row.worked_at === null ? undefined : { ...row, worked_at: new Date(0).toISOString() },
      );
      await operatorRanges(operatorDeps(agent.core)).continueDue();
      return (await ranges().get(range_id))?.worked_at === null;
    }, 300_000);

  it(`of ${many} is counted first, confirmed by that number, followed while it is sent, and sent once, whatever is left of it`, async () => {
    const all = rows('many', many);
    await deliveries().insertMany(all);
    const said = many.toLocaleString('en');
    const page = '/webhooks/range-count?state=exhausted&task_id=many';
    const { html } = await operator.get(page);
    expect(heading(html)).toBe(`${said} webhooks`);
    expect(html).toContain('2026-01-01T00:00:00.000Z');
    expect(html).toContain('For 2 registrations');
    const query = 'state=exhausted&task_id=many';
    const { body: told } = await operate(agent, 'GET', `/webhooks/range-count?${query}`);
    const { until: _until, ...counted } = told;
    expect(counted).toMatchObject({
      ...{ count: many, is_more: false, registration_count: 2, oldest_at: '2026-01-01T00:00:00.000Z' },
      newest_at: all.at(-1)?.created_at,
      registrations: [
        { registration_id: 'wh_b', count: (Math.min(many, 500) * 3) / 4, url: `${DESTINATION}/hook` },
        { registration_id: 'wh_a', count: Math.min(many, 500) / 4 },
      ],
    });
    expect(await cli('count-range', '--state', 'exhausted', '--task', 'many')).toMatchObject(counted);
    expect(formsIn((await viewer.get(page)).html).map(({ button }) => button)).not.toContain(`Send all ${said} again`);
    // Nothing has been sent by counting.
    expect(await deliveries().count({ task_id: 'many', state: 'exhausted' })).toBe(many);

    const form = await confirmed('many', `Send all ${said} again`);
    const sent = await operator.send(form);
    expect(sent.status).toBe(303);
    const place = sent.headers.get('location') ?? '';
    expect(place).toMatch(/^\/admin\/webhooks\/ranges\/rng_/);
    const path = new URL(place, 'http://console').pathname.replace('/admin', '');
    const range_id = path.split('/').at(-1) ?? '';
    const followed = await operator.get(path);
    expect(followed.html).toContain('data-live="ranges,queues"');
    expect(heading(followed.html)).toMatch(new RegExp(`^(Done: )?[\\d,]+ of ${said} sent again( so far)?$`));
    // The same click again begins no other.
    expect((await operator.send(form)).headers.get('location')).toBe(place);
    await goneOn(range_id);
    expect(heading((await operator.get(path)).html)).toBe(`Done: ${said} of ${said} sent again`);
    expect((await operate(agent, 'GET', path)).body).toMatchObject({ total: many, resent: many, is_over: true });
    const after = await deliveries().getMany(all.map(({ delivery_id }) => delivery_id));
    const once = after.filter((row) => row.state === 'pending' && row.resent_in === range_id && row.revision === 2);
    expect(once).toHaveLength(many);
    expect(await deliveries().count({ task_id: 'many' })).toBe(many);
  });

  it('[W7.ranges] says at its end how many were sent, and what was left out and why', async () => {
    const long = rows('left', 6);
    await deliveries().insertMany(long);
    const deps = operatorDeps(agent.core);
    const range_id = 'rng_left';
    const worked_at = new Date(0).toISOString();
    await ranges().insert({
      ...{ range_id, by: 'ann', asked_at: worked_at, worked_at, total: 6, resent: 0, failed: 0, after: null },
      left_out: { ended: 0, not_kept: 0, otherwise: 0 },
      filter: { state: 'exhausted', task_id: 'left', until: new Date().toISOString() },
      // A page that was begun by who died; the sixth fitted no more before it was read.
      in_hand: { delivery_ids: long.slice(0, 5).map(({ delivery_id }) => delivery_id), after: null, faults: 0 },
      revision: 1,
    });
    await deliveries().update('left-0', (row) => ({ ...row, state: 'ended' }));
    await deliveries().update('left-1', (row) => ({ ...row, state: 'delivered' }));
    await deliveries().delete('left-2');
    await operatorRanges(deps).continueDue();
    expect((await operate(agent, 'GET', `/webhooks/ranges/${range_id}`)).body).toMatchObject({
      ...{ total: 6, resent: 2, failed: 0, is_over: true },
      left_out: { ended: 1, not_kept: 1, otherwise: 2 },
    });
    const { html } = await viewer.get(`/webhooks/ranges/${range_id}`);
    expect(heading(html)).toBe('Done: 2 of 6 sent again');
    expect(html).toContain('1 whose registration has ended; 1 kept no longer; 2 that fitted no more');
  });

  it('none that fits is no form, and what is wrong is named', async () => {
    const { html } = await operator.get('/webhooks/range-count?state=gone&task_id=nothing');
    expect(heading(html)).toBe('No webhook fits');
    expect(formsIn(html).map(({ button }) => button)).not.toContain('Send it again');
    expect((await operator.get('/webhooks/range-count?state=pending')).status).toBe(422);
    expect((await operator.get('/webhooks/ranges/rng_unknown')).status).toBe(404);
    const inUtc = await operator.get('/webhooks/range-count?state=gone&from=2026-01-01T00:00&destination=');
    expect([inUtc.status, inUtc.html.includes('2026-01-01')]).toEqual([200, true]);
  });
});
