import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { operatorRanges, ResendRanges, sendRange } from '../../../src/admin/operator/webhooks/resend-range.ts';
import type { ResendRange } from '../../../src/admin/operator/webhooks/resend-range.ts';
import { operatorDeps } from '../../../src/main/wiring/operator-routes.ts';
import { toTimestamp } from '../../../src/platform/clock.ts';
import { Deliveries } from '../../../src/webhooks/delivery/delivery.ts';
import { deliveriesMeant } from '../../../src/webhooks/delivery/delivery-filter.ts';
import type { Delivery } from '../../../src/webhooks/delivery/delivery.ts';
import { NOTHING_LEFT_OUT } from '../../../src/webhooks/delivery/resend-ranges.ts';
import { mediaBuyInput, send, taskOf } from '../../journeys/support/buyer.ts';
import { actingAs, operate } from '../../journeys/support/operator.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { organizationId } from '../../support/ids.ts';
import { until } from '../../support/until.ts';
import { openReceiver, status } from '../../webhooks/support/open-receiver.ts';
import type { Receiver } from '../../webhooks/support/open-receiver.ts';
import { withStoreHooks } from '../../support/store-hooks.ts';
import type { StoreHooks, StoreWrite } from '../../support/store-hooks.ts';
import { describeOnStores } from '../../support/stores.ts';

type Json = Record<string, unknown>;

describeOnStores('webhooks as an operator sees them, on %s', (store) => {
  let agent: TestAgent;
  beforeAll(async () => {
    agent = await startTestAgent(store);
  });
  afterAll(() => agent.stop());
  afterEach(async () => {
    for (const receiver of receivers.splice(0)) await receiver.close();
  });

  const receivers: Receiver[] = [];
  async function listening(): Promise<Receiver> {
    const receiver = await openReceiver();
    receivers.push(receiver);
    return receiver;
  }

  const get = async (path: string) => (await operate(agent, 'GET', path)).body;
  const act = async (path: string, body: Json = {}, headers: Record<string, string> = {}) =>
    (await operate(agent, 'POST', path, body, headers)).body;

  /** A task whose `working` and `completed` go to this receiver. */
  async function begin(receiver: Receiver): Promise<{ task_id: string; to: string }> {
    const push_notification_config = { url: receiver.url('/hook?secret=1'), operation_id: 'op-1' };
    const { id } = taskOf(await send(agent, 'create_media_buy', mediaBuyInput(agent, { push_notification_config })));
    return { task_id: id, to: encodeURIComponent(receiver.url('/hook')) };
  }
  const deliveriesOf = async (task_id: string, more = '') =>
    (await get(`/webhooks/deliveries?task_id=${task_id}${more}`))['deliveries'] as (Json & { delivery_id: string })[];
  const ended = (task_id: string, state: string) =>
    until(async () => {
      const rows = await deliveriesOf(task_id, `&state=${state}`);
      return rows.length === 2 && rows;
    });

  it('are listed by filter and page, and shown with their attempts and without secrets', async () => {
    const receiver = await listening();
    receiver.answer = status(404);
    const { task_id, to } = await begin(receiver);
    const [row] = await ended(task_id, 'rejected');
    expect(row).toMatchObject({ event: 'completed', url: receiver.url('/hook'), state: 'rejected' });
    const shown = await get(`/webhooks/deliveries/${row?.delivery_id ?? ''}`);
    expect(shown['attempts']).toMatchObject([
      { attempt: 1, status: 'failed', http_status_code: 404, error_message: 'receiver refused the webhook' },
    ]);
    expect(JSON.stringify(shown)).not.toMatch(/secret=1|sealed|body/);
    const page = await get(`/webhooks/deliveries?destination=${to}&limit=1`);
    expect(page).toMatchObject({ deliveries: [{ task_id }], has_more: true });
    const rest = await get(
      `/webhooks/deliveries?destination=${to}&limit=1&cursor=${encodeURIComponent(String(page['cursor']))}`,
    );
    expect(rest).toMatchObject({ deliveries: [{ event: 'working' }], has_more: false });
    expect(await get(`/webhooks/deliveries?task_id=${task_id}&until=2020-01-01T00:00:00Z`)).toMatchObject({
      deliveries: [],
    });
  });

  it('[W7] one is sent again under its own key; a click that comes twice sends once', async () => {
    const receiver = await listening();
    receiver.answer = status(404);
    const { task_id } = await begin(receiver);
    const [row] = await ended(task_id, 'rejected');
    receiver.answer = status(200);
    const click = { 'idempotency-key': `click-of-${task_id}`, ...(await actingAs(agent, 'ann')) };
    const path = `/webhooks/deliveries/${row?.delivery_id ?? ''}/resend`;
    const first = await act(path, {}, click);
    expect(first).toMatchObject({ delivery_id: row?.delivery_id, is_new_event: false });
    await until(async () => (await deliveriesOf(task_id, '&state=delivered')).length === 1);
    expect(await act(path, {}, click)).toEqual({ ...first, replayed: true });
    expect((await deliveriesOf(task_id, '&state=delivered'))[0]?.['attempts']).toHaveLength(2);
    const log = await get(`/actions?target=${encodeURIComponent(path.replace('/resend', ''))}`);
    expect(log['actions']).toMatchObject([{ action: 'webhooks.resend', by: 'ann', outcome: 'done' }]);
  });

  it('one that waits is attempted at once and by no click twice; what is held back or over says why it is not', async () => {
    const { clock, store } = agent.core;
    const receiver = await listening();
    const { task_id, to } = await begin(receiver);
    const [sample] = await ended(task_id, 'delivered');
    const deliveries = store.collection(Deliveries);
    const known = await deliveries.get(sample?.delivery_id ?? '');
    if (known === undefined) throw new Error('no such delivery');
    const [sent, tries] = [receiver.received.length, known.attempts.length];
    const delivery_id = `${task_id}-waits`;
    const next_attempt_at = toTimestamp(clock.now() + 3_600_000);
    await deliveries.insert({ ...known, delivery_id, state: 'pending', next_attempt_at, revision: 1 });
    const path = `/webhooks/deliveries/${delivery_id}`;
    const attempt = (headers: Record<string, string>) => operate(agent, 'POST', `${path}/attempt`, {}, headers);
    const refusal = async () => {
      const { status: code, body } = await attempt({});
      expect([code, body.error?.code]).toEqual([409, 'INVALID_STATE']);
      return body.error?.message;
    };
    const row = () => deliveries.get(delivery_id);

    // It asks to be left alone.
    receiver.answer = status(503, { 'retry-after': '3600' });
    const click = { 'idempotency-key': `click-of-${delivery_id}`, ...(await actingAs(agent, 'ann')) };
    const first = await attempt(click);
    expect(first).toMatchObject({ status: 200, body: { delivery_id, attempt: tries + 1 } });
    await until(async () => (await row())?.attempts.length === tries + 1);
    await until(async () => {
      const { targets } = (await get(`/webhooks/destinations/${to}`)) as { targets: Json[] };
      return targets.some(({ closed_until }) => closed_until !== null);
    });
    const failed = await row();
    expect((await attempt(click)).body).toEqual({ ...first.body, replayed: true });
    expect(await refusal()).toMatch(/^nothing is sent there until \S+Z: the receiver failed/);
    await act(`/webhooks/destinations/${to}/pause`, { reason: 'maintenance' });
    expect(await refusal()).toBe('this receiver is paused (maintenance), so nothing is sent there: resume it first');
    expect([await row(), receiver.received.length]).toEqual([failed, sent + 1]);

    receiver.answer = status(204);
    await act(`/webhooks/destinations/${to}/resume`);
    await until(async () => (await row())?.state === 'delivered');
    expect(await refusal()).toBe('the webhook is delivered: no attempt of it is left to be made');
    expect(receiver.received).toHaveLength(sent + 2);
    const { actions } = (await get(`/actions?target=${encodeURIComponent(path)}`)) as { actions: Json[] };
    expect(actions.map(({ action, outcome }) => [action, outcome])).toEqual([
      ...Array.from({ length: 3 }, () => ['webhooks.attempt', 'refused']),
      ['webhooks.attempt', 'done'],
    ]);
  });

  it('a range is sent again, all of it and nothing else', async () => {
    const receiver = await listening();
    receiver.answer = status(404);
    const { task_id } = await begin(receiver);
    await ended(task_id, 'rejected');
    receiver.answer = status(200);
    const range = await act('/webhooks/ranges/resend', { state: 'rejected', destination: receiver.url() });
    expect(range).toMatchObject({ resent: 2, is_over: true, by: 'OPERATOR_API_KEY' });
    await ended(task_id, 'delivered');
    expect(await get(`/webhooks/ranges/${String(range['range_id'])}`)).toEqual(range);
  });

  it('a range whose process died goes on where it stood, taken up by one of those that live', async () => {
    const receiver = await listening();
    receiver.answer = status(404);
    const { task_id } = await begin(receiver);
    await ended(task_id, 'rejected');
    receiver.answer = status(200);
    const deps = operatorDeps(agent.core);
    const range_id = `rng_${task_id}`;
    const ranges = agent.core.store.collection(ResendRanges);
    const long = new Date(Date.now() - 60_000).toISOString();
    await ranges.insert({
      ...{ range_id, by: 'ann', asked_at: long, worked_at: long, resent: 0, failed: 0, after: null, in_hand: null },
      ...{ total: null, left_out: NOTHING_LEFT_OUT, revision: 1 },
      filter: { state: 'rejected', task_id, until: new Date().toISOString() },
    });
    await Promise.all([operatorRanges(deps).continueDue(), operatorRanges(deps).continueDue()]);
    expect(
      await until(async () => {
        const row = await ranges.get(range_id);
        return row?.worked_at === null && row;
      }),
    ).toMatchObject({ resent: 2 });
    await ended(task_id, 'delivered');
    const again = { range_id, filter: { state: 'rejected' as const, task_id }, by: 'ann' };
    expect(await sendRange(deps, again)).toMatchObject({ resent: 2 });
  });

  it('a long range is left to the workers after a while, and none of it is left out', async () => {
    const deps = operatorDeps(agent.core);
    const receiver = await listening();
    const { task_id } = await begin(receiver);
    const [sample] = await ended(task_id, 'delivered');
    const deliveries = agent.core.store.collection(Deliveries);
    const row = await deliveries.get(sample?.delivery_id ?? '');
    if (row === undefined) throw new Error('no such delivery');
    const many = Array.from({ length: 120 }, (_, i) => ({
      ...row,
      ...{ delivery_id: `${task_id}-${i}`, state: 'exhausted' as const, next_attempt_at: null, revision: 1 },
    }));
    await deliveries.insertMany(many);
    const range_id = `rng_long_${task_id}`;
    const left = await sendRange(deps, { range_id, filter: { state: 'exhausted', task_id }, by: 'ann' }, 0);
    expect(left).toMatchObject({ resent: 100, worked_at: '1970-01-01T00:00:00.000Z' });
    const ranges = agent.core.store.collection(ResendRanges);
    const over = await until(async () => {
      const range = await ranges.get(range_id);
      return range?.worked_at === null && range;
    });
    expect(over.resent).toBe(120);
    expect(await deliveries.count({ task_id, state: 'exhausted' })).toBe(0);
  });

  describe('a range', () => {
    const day = 86_400_000;
    let sample: Delivery;
    let windows = 0;
    const deliveries = () => agent.core.store.collection(Deliveries);
    const ranges = () => agent.core.store.collection(ResendRanges);
    beforeAll(async () => {
      const receiver = await openReceiver();
      kept.push(receiver);
      const { task_id } = await begin(receiver);
      const [row] = await ended(task_id, 'delivered');
      const found = await deliveries().get(row?.delivery_id ?? '');
      if (found === undefined) throw new Error('no such delivery');
      sample = found;
    });
    afterAll(async () => {
      for (const receiver of kept.splice(0)) await receiver.close();
    });
    const kept: Receiver[] = [];

    /** So many webhooks that were exhausted on a day of their own, and the filter that means them. */
    async function exhausted(count: number, more: (i: number) => Partial<Delivery> = () => ({})) {
      const n = (windows += 1);
      const startMs = Date.parse('2020-01-01T00:00:00Z') + n * day;
      const [from, until_] = [startMs, startMs + day].map((ms) => new Date(ms).toISOString());
      const rows = Array.from({ length: count }, (_, i) => ({
        ...{ ...sample, delivery_id: `w${n}-${i}`, created_at: new Date(startMs + i).toISOString(), revision: 1 },
        ...{ state: 'exhausted' as const, next_attempt_at: null, ...more(i) },
      }));
      await deliveries().insertMany(rows);
      const ids = rows.map(({ delivery_id }) => delivery_id);
      const filter = { state: 'exhausted' as const, task_id: sample.task_id, from, until: until_ };
      const attempts = async () => (await deliveries().getMany(ids)).map((row) => row.attempts.length);
      return { ids, filter, attempts, range_id: `rng_w${n}` };
    }
    /** The range that somebody was at, and died; taken up by who lives until it is over. */
    const goneOn = (range_id: string) =>
      until(async () => {
        await ranges().update(range_id, (row) =>
          row.worked_at === null ? undefined : { ...row, worked_at: new Date(0).toISOString() },
        );
        await operatorRanges(operatorDeps(agent.core)).continueDue();
        const row = await ranges().get(range_id);
        return row?.worked_at === null && row;
      });
    /** Sends one by a process that dies at a write of the range. */
    async function dying(hooks: StoreHooks, { range_id, filter }: Pick<ResendRange, 'range_id' | 'filter'>) {
      const deps = { ...operatorDeps(agent.core), store: withStoreHooks(agent.core.store, hooks) };
      await expect(sendRange(deps, { range_id, filter, by: 'ann' })).rejects.toThrow('killed');
    }

    it('[W7.ranges] counts what it has sent, wherever its process died, and sends it once', async () => {
      await Promise.all(
        ([1, 2] as const).flatMap((n) =>
          (['before', 'after'] as const).map(async (moment) => {
            const { range_id, filter, attempts } = await exhausted(3);
            let updates = 0;
            const killed = ({ collection, kind }: StoreWrite) => {
              if (collection !== ResendRanges.name || kind !== 'update') return;
              updates += 1;
              if (updates === n) throw new Error('killed');
            };
            await dying({ [moment]: killed }, { range_id, filter }).catch((error: unknown) => {
              // There was no such write.
              if (updates >= n) throw error;
            });
            expect(await goneOn(range_id)).toMatchObject({ resent: 3, failed: 0 });
            const once = sample.attempts.length + 1;
            await until(async () => (await attempts()).every((count) => count === once));
          }),
        ),
      );
    });

    it('[W7.ranges] sends nothing again that another range has sent since', async () => {
      const { ids, range_id, filter, attempts } = await exhausted(2);
      const isSent = async () =>
        (await deliveries().count({ ...deliveriesMeant({ ...filter, state: undefined }), state: 'exhausted' })) === 0;
      const failedAgain = async () => {
        await until(
          async () =>
            (await deliveries().count({ ...deliveriesMeant({ ...filter, state: undefined }), state: 'delivered' })) ===
            2,
        );
        for (const id of ids) await deliveries().update(id, (row) => ({ ...row, state: 'exhausted' }));
      };
      const before = async ({ collection, kind }: StoreWrite) => {
        if (collection === ResendRanges.name && kind === 'update' && (await isSent())) throw new Error('killed');
      };
      await dying({ before }, { range_id, filter });
      await failedAgain();
      const other = await sendRange(operatorDeps(agent.core), { range_id: `${range_id}-b`, filter, by: 'bob' });
      expect(other).toMatchObject({ resent: 2, worked_at: null });
      await failedAgain();
      const counts = await attempts();
      expect(await goneOn(range_id)).toMatchObject({ resent: 2 });
      expect(await isSent()).toBe(false);
      expect(await attempts()).toEqual(counts);
    });

    it('[W7.ranges] ends, though some of it cannot be sent, and says of how many', async () => {
      const long = new Date(Date.now() - 3 * day).toISOString();
      const attempts = sample.attempts.map((one) => ({ ...one, started_at: long }));
      const { range_id, filter } = await exhausted(3, (i) =>
        i === 1 ? { attempts, is_body_sealed: true, body: 'nobody can open it' } : {},
      );
      await sendRange(operatorDeps(agent.core), { range_id, filter, by: 'ann' }).catch(() => undefined);
      expect(await goneOn(range_id)).toMatchObject({ resent: 2, failed: 1 });
    });

    it('[W7.ranges] that is stopped while a page is sent counts that page, and sends no other', async () => {
      const { range_id, filter } = await exhausted(120);
      let updates = 0;
      const before = async ({ collection, kind }: StoreWrite) => {
        if (collection !== ResendRanges.name || kind !== 'update' || (updates += 1) !== 2) return;
        await ranges().update(range_id, (row) => ({ ...row, worked_at: null }));
      };
      const deps = { ...operatorDeps(agent.core), store: withStoreHooks(agent.core.store, { before }) };
      expect(await sendRange(deps, { range_id, filter, by: 'ann' })).toMatchObject({ resent: 100, worked_at: null });
      expect(await deliveries().count(deliveriesMeant(filter))).toBe(20);
    });

    it('[W7.ranges] counts no new event that another range has made', async () => {
      const long = new Date(Date.now() - 3 * day).toISOString();
      const attempts = sample.attempts.map((one) => ({ ...one, started_at: long }));
      const { range_id, filter } = await exhausted(2, () => ({ attempts }));
      const deps = operatorDeps(agent.core);
      expect(await sendRange(deps, { range_id, filter, by: 'ann' })).toMatchObject({ resent: 2 });
      expect(await sendRange(deps, { range_id: `${range_id}-b`, filter, by: 'bob' })).toMatchObject({ resent: 0 });
    });
  });

  it('a paused destination gets nothing until it is resumed; both may be clicked twice', async () => {
    const receiver = await listening();
    const to = encodeURIComponent(receiver.url('/any/path?x=1'));
    const origin = new URL(receiver.url()).origin;
    const ann = await actingAs(agent, 'ann');
    const pause = () => act(`/webhooks/destinations/${to}/pause`, { reason: 'maintenance' }, ann);
    const paused = await pause();
    expect(paused).toMatchObject({ destination: origin, is_paused: true, paused_by: 'ann', reason: 'maintenance' });
    expect(await pause()).toEqual(paused);
    const { task_id } = await begin(receiver);
    await until(async () => (await deliveriesOf(task_id)).length === 2);
    const listed = await until(async () => {
      const rows = (await get('/webhooks/destinations'))['destinations'] as Json[];
      return rows.find((row) => row['destination'] === origin && row['waiting'] === 2);
    });
    expect(listed).toMatchObject({ is_paused: true });
    expect(receiver.received).toHaveLength(0);
    expect(await act(`/webhooks/destinations/${to}/resume`)).toMatchObject({ is_paused: false, brought_forward: 2 });
    await ended(task_id, 'delivered');
    expect(await act(`/webhooks/destinations/${to}/resume`)).toMatchObject({ is_paused: false, brought_forward: 0 });
    expect(await get(`/webhooks/destinations/${to}`)).toMatchObject({ is_paused: false, waiting: 0 });
  });

  it('[W18] a registration is tried with a test event, on record with its outcome, and not while its receiver is paused', async () => {
    const receiver = await listening();
    const { task_id, to } = await begin(receiver);
    await ended(task_id, 'delivered');
    const { registrations } = (await get(`/webhooks/registrations?task_id=${task_id}`)) as { registrations: Json[] };
    const target = `/webhooks/registrations/${task_id}/${String(registrations[0]?.['registration_id'])}`;
    const test = () => operate(agent, 'POST', `${target}/test`);
    const taken = await test();
    expect(taken).toMatchObject({
      status: 200,
      body: { delivered: true, http_status_code: 204, advice: null, mode: 'rfc9421', operation_id: 'op-1' },
    });
    expect(taken.body['url']).toBe(receiver.url('/hook'));
    expect(receiver.request().body).toMatchObject({ task_type: 'webhook_test', operation_id: 'op-1' });

    const signature_error = 'webhook_signature_digest_mismatch';
    receiver.answer = status(401, { 'www-authenticate': `Signature error="${signature_error}"` });
    const refused = await test();
    expect(refused.body).toMatchObject({ delivered: false, http_status_code: 401, signature_error });
    expect(refused.body['advice']).toContain('take the digest over the raw bytes of the body');
    expect(refused.body['phases']).toContainEqual(expect.objectContaining({ phase: 'answer', outcome: 'ok' }));

    const sent = receiver.received.length;
    const ofBuyer = await agent.core.budgets.take('test_webhook', organizationId('org_demo_buyer'));
    await agent.core.budgets.take('test_webhook', organizationId('org_demo_buyer'), ofBuyer.left);
    expect(await test()).toMatchObject({ status: 429, body: { error: { code: 'RATE_LIMITED' } } });
    await act(`/webhooks/destinations/${to}/pause`, { reason: 'maintenance' });
    const held = await test();
    expect(held).toMatchObject({ status: 409, body: { error: { code: 'INVALID_STATE', field: 'registration_id' } } });
    expect(receiver.received).toHaveLength(sent);
    const other = await operate(agent, 'POST', `/webhooks/registrations/${task_id}/other/test`);
    expect(other).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } });
    const { actions } = (await get(`/actions?target=${encodeURIComponent(target)}`)) as { actions: Json[] };
    expect(actions).toMatchObject([
      { action: 'webhooks.test', outcome: 'refused', error_code: 'INVALID_STATE' },
      { action: 'webhooks.test', outcome: 'refused', error_code: 'RATE_LIMITED' },
      { action: 'webhooks.test', outcome: 'done', answer: { delivered: false, signature_error } },
      { action: 'webhooks.test', outcome: 'done', answer: { delivered: true } },
    ]);
  });

  it('a task’s registrations are shown without their secrets, and ended', async () => {
    const receiver = await listening();
    const { task_id } = await begin(receiver);
    await ended(task_id, 'delivered');
    const { registrations } = (await get(`/webhooks/registrations?task_id=${task_id}`)) as { registrations: Json[] };
    expect(registrations).toMatchObject([
      { channel: 'mcp', mode: 'rfc9421', url: receiver.url('/hook'), operation_id: 'op-1', ended_at: null },
    ]);
    const path = `/webhooks/registrations/${task_id}/${String(registrations[0]?.['registration_id'])}/end`;
    const over = await act(path);
    expect(over['ended_at']).toEqual(expect.any(String));
    expect(await act(path)).toEqual(over);
    expect(await operate(agent, 'POST', `/webhooks/registrations/${task_id}/other/end`)).toMatchObject({ status: 404 });
  });
});
