import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBudgets } from '../../src/platform/budget/budgets.ts';
import type { Budgets } from '../../src/platform/budget/budgets.ts';
import { toTimestamp } from '../../src/platform/clock.ts';
import { noCounters } from '../../src/platform/metrics/metrics.ts';
import type { OrganizationId } from '../../src/platform/organization-id.ts';
import { createRateLimiter } from '../../src/platform/redis/rate-limit-redis.ts';
import { endpoints } from '../../src/registry/index.ts';
import { TaskRuns } from '../../src/runtime/task-run.ts';
import type { TaskRun } from '../../src/runtime/task-run.ts';
import { BuyerRanges } from '../../src/webhooks/buyer/resend-range.ts';
import { Deliveries } from '../../src/webhooks/delivery/delivery.ts';
import type { Delivery } from '../../src/webhooks/delivery/delivery.ts';
import { silent } from '../directory/support/installation.ts';
import { slowWindows } from '../support/slow-windows.ts';
import { describeOnStores } from '../support/stores.ts';
import { finishedRun } from '../webhooks/support/finished-run.ts';
import { makeKnown } from '../webhooks/support/known-origin.ts';
import { openReceiver, status } from '../webhooks/support/open-receiver.ts';
import type { Receiver } from '../webhooks/support/open-receiver.ts';
import { startRegistry } from './support/registry.ts';
import type { Registry } from './support/registry.ts';

const BASE = '/api/buyer/webhooks';
const bearer = (credential: string) => ({ Authorization: `Bearer ${credential}` });
type Json = Record<string, unknown>;

describeOnStores('[C.endpoints.buyer-webhooks] many of a buyer’s own webhooks on %s', (kind) => {
  let at: Registry;
  let receiver: Receiver;
  let budgets: Budgets;
  let closeBudgets: () => Promise<void>;
  beforeAll(async () => {
    const limitsOf = `own-webhooks-${randomUUID()}`;
    at = await startRegistry(kind, { limitsOf });
    receiver = await openReceiver();
    await makeKnown(at.gate, receiver.url(), at.clock.now());
    // The workers' own, counting where the servers' do.
    [budgets, closeBudgets] = budgetsOf(limitsOf);
  });
  afterAll(async () => {
    await closeBudgets();
    await receiver.close();
    await at.close();
  });

  function budgetsOf(prefix: string): [Budgets, () => Promise<void>] {
    const connection = process.env['REDIS_TEST_URL'] ?? '';
    const limiter = slowWindows(createRateLimiter({ connection, prefix, logger: silent }));
    return [createBudgets({ limiter, clock: at.clock, counters: noCounters }), () => limiter.close()];
  }

  interface Party {
    organization_id: OrganizationId;
    key: string;
  }

  async function party(): Promise<Party> {
    const { organization_id } = await at.organization({});
    return { organization_id, key: await at.apiKey(organization_id) };
  }

  const get = async (path: string, { key }: Party) => {
    const answer = await at.get(BASE + path).set(bearer(key));
    return { status: answer.status, body: answer.body as Json };
  };
  const post = async (path: string, { key }: Party, body?: object) => {
    const answer = await at.post(BASE + path, body).set(bearer(key));
    return { status: answer.status, body: answer.body as Json };
  };

  const rows = () => at.store.collection(Deliveries);

  /** So many events that have come to an end. */
  async function over(
    { organization_id }: Party,
    count: number,
    changes: Partial<Delivery> & { body?: string; secret?: boolean } = {},
  ): Promise<Delivery[]> {
    const { secret: isBodySecret = false, ...changed } = changes;
    const task_id = `t-${randomUUID()}`;
    await at.webhooks.send(
      Array.from({ length: count }, (_, i) => ({
        ...{ organization_id, task_id, task_type: 'create_media_buy', subject_id: null, sequence: 2 + i },
        event: 'working',
        target: { registration_id: randomUUID(), url: receiver.url('/hook?secret=1'), mode: 'rfc9421' as const },
        ...{ idempotency_key: randomUUID(), body: changed.body ?? '{"said":"ä \\" é"}', isBodySecret },
      })),
    );
    const made = (await rows().find({ where: { task_id }, sort: { field: 'sequence', direction: 'asc' } })).rows;
    const ended = { state: 'exhausted' as const, next_attempt_at: null, ...changed };
    delete ended.body;
    return Promise.all(
      made.map(async (row) => (await rows().update(row.delivery_id, (one) => ({ ...one, ...ended })))?.row ?? row),
    );
  }

  const statesOf = (of: readonly Delivery[]) =>
    Promise.all(of.map(async ({ delivery_id }) => (await rows().get(delivery_id))?.state));

  async function attempt({ delivery_id, destination }: Delivery): Promise<void> {
    const stored = await rows().get(delivery_id);
    const job = { delivery_id, destination, attempt: (stored?.attempts.length ?? 0) + 1 };
    await at.webhooks.attempt(job, new AbortController().signal);
  }

  describe('a range', () => {
    async function counted(own: Party, filter = 'state=exhausted'): Promise<Json> {
      at.clock.advance(1);
      const { status: code, body } = await get(`/range-count?${filter}`, own);
      expect(code).toBe(200);
      return body;
    }

    it('is counted first, then sent again whole, oldest first, and nothing else of anybody', async () => {
      const [own, foreign] = [await party(), await party()];
      const wanted = await over(own, 3);
      const others = [
        ...(await over(own, 1, { state: 'rejected' })),
        ...(await over(own, 1, { state: 'ended' })),
        ...(await over(own, 1, { destination: 'https://elsewhere.example' })),
        ...(await over(foreign, 1)),
      ];
      const before = await statesOf(others);
      const to = encodeURIComponent(receiver.url('/any'));
      const count = await counted(own, `state=exhausted&destination=${to}`);
      expect(count).toMatchObject({ count: 3, is_too_many: false, hours: 1 });
      expect(await statesOf(wanted)).toEqual(['exhausted', 'exhausted', 'exhausted']);
      at.clock.advance(1);
      const later = await over(own, 1);
      const asked = { state: 'exhausted', destination: receiver.url('/any'), until: count['until'] };
      const range = await post('/ranges', own, asked);
      expect(range).toMatchObject({ status: 200, body: { total: 3, resent: 0, is_over: false } });
      await at.webhooks.buyer.ranges.continueDue(budgets);
      expect((await get(`/ranges/${String(range.body['range_id'])}`, own)).body).toMatchObject({
        ...{ total: 3, resent: 3, is_over: true, stopped_at: null, next_at: null },
      });
      expect(await statesOf(wanted)).toEqual(['pending', 'pending', 'pending']);
      expect(await statesOf([...others, ...later])).toEqual([...before, 'exhausted']);
      expect((await get('/ranges', own)).body['ranges']).toEqual([expect.objectContaining({ resent: 3 })]);
      expect((await get('/ranges', foreign)).body['ranges']).toEqual([]);
    });

    it('sends no event twice, asked for twice, worked on by two, and killed before it noted what it had sent', async () => {
      const own = await party();
      const [first, second] = (await over(own, 2, { state: 'delivered' })) as [Delivery, Delivery];
      const { until } = await counted(own, 'state=delivered');
      const asked = { state: 'delivered', until };
      const both = await Promise.all([post('/ranges', own, asked), post('/ranges', own, asked)]);
      expect(both[1].body['range_id']).toBe(both[0].body['range_id']);
      const range_id = String(both[0].body['range_id']);
      const ranges = at.store.collection(BuyerRanges);
      const begun = await ranges.get(range_id);
      const work = () => at.webhooks.buyer.ranges.continueDue(budgets);
      await Promise.all([work(), work()]);
      receiver.answer = status(204);
      for (const row of [first, second]) await attempt(row);
      expect(await statesOf([first, second])).toEqual(['delivered', 'delivered']);
      // Its process died with the range as it was in the beginning; long after, another one has it.
      await ranges.update(range_id, (row) => ({ ...row, ...begun, revision: row.revision }));
      at.clock.advance(60_000);
      await work();
      for (const { delivery_id } of [first, second]) expect((await rows().get(delivery_id))?.attempts).toHaveLength(1);
      expect(await statesOf([first, second])).toEqual(['delivered', 'delivered']);
      expect((await ranges.get(range_id))?.due_at).toBe(null);
      expect((await post('/ranges', own, asked)).body).toMatchObject({ range_id, is_over: true, resent: 2 });
    });

    it('takes of the 60 an hour that all of sending again has, waits for room, and goes on then', async () => {
      const own = await party();
      const [single] = (await over(own, 1, { state: 'rejected' })) as [Delivery];
      await over(own, 61);
      expect((await post(`/deliveries/${single.delivery_id}/resend`, own)).status).toBe(200);
      const { until, hours } = await counted(own);
      expect(hours).toBe(2);
      const range = await post('/ranges', own, { state: 'exhausted', until });
      await at.webhooks.buyer.ranges.continueDue(budgets);
      const path = `/ranges/${String(range.body['range_id'])}`;
      const waiting = (await get(path, own)).body;
      expect(waiting).toMatchObject({ total: 61, resent: 59, is_over: false });
      const waitMs = Date.parse(String(waiting['next_at'])) - at.clock.now();
      expect(waitMs).toBeGreaterThan(30 * 60_000);
      expect((await post(`/deliveries/${single.delivery_id}/resend`, own)).status).toBe(429);
      expect(await at.webhooks.buyer.ranges.continueDue(budgets)).toBe(0);
      at.clock.advance(waitMs);
      // An hour later all of the budget is free.
      const [free, close] = budgetsOf(`free-${randomUUID()}`);
      await at.webhooks.buyer.ranges.continueDue(free);
      await close();
      expect((await get(path, own)).body).toMatchObject({ resent: 61, is_over: true });
    });

    it('can be stopped, and never sends to a registration that has ended meanwhile', async () => {
      const own = await party();
      const [one, two] = (await over(own, 2)) as [Delivery, Delivery];
      const { until } = await counted(own);
      const stopped = await post('/ranges', own, { state: 'exhausted', until });
      const path = `/ranges/${String(stopped.body['range_id'])}/stop`;
      expect((await post(path, own)).body).toMatchObject({ is_over: true, resent: 0 });
      await at.webhooks.buyer.ranges.continueDue(budgets);
      expect(await statesOf([one, two])).toEqual(['exhausted', 'exhausted']);
      expect((await post(path, own)).body['stopped_at']).toBe((await post(path, own)).body['stopped_at']);
      const { until: anew } = await counted(own);
      const range = await post('/ranges', own, { state: 'exhausted', until: anew });
      await rows().update(one.delivery_id, (row) => ({ ...row, state: 'ended' }));
      await at.webhooks.buyer.ranges.continueDue(budgets);
      expect(await statesOf([one, two])).toEqual(expect.arrayContaining(['ended', 'pending']));
      expect((await get(`/ranges/${String(range.body['range_id'])}`, own)).body).toMatchObject({ resent: 1 });
    });

    it('is refused where nothing fits, where it is too much, where it is no outcome, and beyond five at a time', async () => {
      const own = await party();
      const until = toTimestamp(at.clock.now());
      expect(await post('/ranges', own, { state: 'gone', until })).toMatchObject({ status: 409 });
      for (const [body, field] of [
        [{ state: 'ended', until }, 'state'],
        [{ state: 'pending', until }, 'state'],
        [{ state: 'exhausted' }, 'until'],
        [{ state: 'exhausted', until: 'yesterday' }, 'until'],
        [{ state: 'exhausted', until, destination: 'nowhere' }, 'destination'],
      ] as const)
        expect(await post('/ranges', own, body)).toMatchObject({ status: 400, body: { field } });
      const [sample] = (await over(own, 1)) as [Delivery];
      await rows().insertMany(
        Array.from({ length: 1_000 }, (_, i) => ({
          ...sample,
          delivery_id: `${sample.delivery_id}-${i}`,
          revision: 1,
        })),
      );
      const many = await counted(own);
      expect(many).toMatchObject({ count: 1_001, is_too_many: true });
      const tooMuch = await post('/ranges', own, { state: 'exhausted', until: many['until'] });
      expect(tooMuch).toMatchObject({ status: 400, body: { field: 'from' } });
      expect((await get('/ranges', own)).body['ranges']).toEqual([]);

      const busy = await party();
      await over(busy, 1);
      at.clock.advance(10);
      const end = at.clock.now();
      const ask = (n: number) => post('/ranges', busy, { state: 'exhausted', until: toTimestamp(end - n) });
      const codes: number[] = [];
      for (let n = 0; n < 6; n += 1) codes.push((await ask(n)).status);
      expect(codes).toEqual([200, 200, 200, 200, 200, 429]);
    });

    it('of another organization is answered like none', async () => {
      const [own, foreign] = [await party(), await party()];
      await over(foreign, 1);
      at.clock.advance(1);
      const { until } = await counted(foreign);
      const { body } = await post('/ranges', foreign, { state: 'exhausted', until });
      const theirs = String(body['range_id']);
      expect(await get(`/ranges/${theirs}`, own)).toEqual(await get('/ranges/rng_none', own));
      expect(await post(`/ranges/${theirs}/stop`, own)).toEqual(await post('/ranges/rng_none/stop', own));
      expect((await get(`/ranges/${theirs}`, foreign)).body).toMatchObject({ is_over: false });
    });
  });

  describe('registrations', () => {
    const runs = () => at.store.collection(TaskRuns);

    async function run(of: Party, changes: Partial<TaskRun> = {}): Promise<TaskRun> {
      const row = finishedRun(receiver.url('/hook?secret=1'), at.clock.now());
      const stored = { ...row, organization_id: of.organization_id, ...changes };
      await runs().insert(stored);
      return stored;
    }

    it('are shown with task, address, mode, since and end, without secrets and query, and nobody else’s', async () => {
      const [own, foreign] = [await party(), await party()];
      const mine = await run(own);
      const theirs = await run(foreign);
      const { body } = await get('/registrations', own);
      expect(body).toEqual({
        registrations: [
          {
            ...{ registration_id: 'r1', task_id: mine.task_id, task_type: 'create_media_buy', task_state: 'completed' },
            ...{ channel: 'mcp', url: receiver.url('/hook'), operation_id: 'op', mode: 'rfc9421', ended_at: null },
            created_at: mine.created_at,
          },
        ],
        has_more: false,
      });
      expect((await get(`/registrations?task_id=${mine.task_id}`, own)).body['registrations']).toHaveLength(1);
      expect((await get(`/registrations?task_id=${theirs.task_id}`, own)).body['registrations']).toEqual([]);
    });

    it('of many tasks are shown page by page, none left out', async () => {
      const own = await party();
      const made = new Set<string>();
      for (let i = 0; i < 60; i += 1) {
        at.clock.advance(1_000);
        made.add((await run(own, i % 20 === 0 ? {} : { registrations: [] })).task_id);
      }
      const seen: string[] = [];
      let cursor = '';
      let pages = 0;
      do {
        const { body } = await get(`/registrations${cursor && `?cursor=${cursor}`}`, own);
        seen.push(...(body['registrations'] as { task_id: string }[]).map(({ task_id }) => task_id));
        cursor = (body as { cursor?: string }).cursor ?? '';
        pages += 1;
      } while (cursor !== '');
      expect(pages).toBe(2);
      expect(seen).toHaveLength(3);
      expect(seen.every((id) => made.has(id))).toBe(true);
    });

    it('are ended, with what is pending, by their owner alone, once and for good', async () => {
      const [own, foreign] = [await party(), await party()];
      const mine = await run(own);
      await at.webhooks.notifier.notify(mine);
      const pending = (await rows().find({ where: { task_id: mine.task_id } })).rows;
      expect(pending.map(({ state }) => state)).toEqual(['pending', 'pending']);
      const path = `/registrations/${mine.task_id}/r1/end`;
      expect(await post(path, foreign)).toEqual(await post('/registrations/none/r1/end', foreign));
      expect((await post(path, foreign)).status).toBe(404);
      expect((await post(`/registrations/${mine.task_id}/r2/end`, own)).status).toBe(404);
      expect(await statesOf(pending)).toEqual(['pending', 'pending']);
      const ended = await post(path, own);
      expect(ended).toMatchObject({ status: 200, body: { ended_at: expect.any(String) as string } });
      expect(await statesOf(pending)).toEqual(['ended', 'ended']);
      expect((await post(path, own)).body['ended_at']).toBe(ended.body['ended_at']);
      const [first] = pending;
      expect((await post(`/deliveries/${first?.delivery_id ?? ''}/resend`, own)).status).toBe(409);
      expect((await post(path.replace('/end', '/test'), own)).status).toBe(409);
    });

    it('are tried with a test event, proved as they have it, with their own token and query', async () => {
      const [own, foreign] = [await party(), await party()];
      const config: { url: string; token?: string } = { url: receiver.url('/hook?secret=1'), token: 'my-token' };
      const sealed = at.webhooks.sealBuyChannel(config, '');
      const mine = await run(own);
      await runs().update(mine.task_id, (row) => ({
        ...row,
        registrations: row.registrations.map((one) => ({
          ...{ ...one, url: sealed.url },
          ...(sealed.token !== undefined && { sealed_token: sealed.token }),
        })),
      }));
      const path = `/registrations/${mine.task_id}/r1/test`;
      expect((await post(path, foreign)).status).toBe(404);
      receiver.answer = status(204);
      const tried = await post(path, own);
      expect(tried.body).toMatchObject({ delivered: true, mode: 'rfc9421', operation_id: 'op' });
      expect(JSON.stringify(tried.body)).not.toMatch(/my-token|secret=1/);
      const { path: called, body } = receiver.request();
      expect([called, body]).toEqual([
        '/hook?secret=1',
        expect.objectContaining({ task_type: 'webhook_test', token: 'my-token', operation_id: 'op' }),
      ]);
    });
  });

  describe('one webhook', () => {
    it('is shown to the byte, and the command beside it prints its digest', async () => {
      const [own, foreign] = [await party(), await party()];
      const [row] = (await over(own, 1)) as [Delivery];
      const path = `/deliveries/${row.delivery_id}/body`;
      expect(await get(path, foreign)).toEqual(await get('/deliveries/none/body', foreign));
      const { body } = await get(path, own);
      expect(body).toMatchObject({ text: row.body, bytes: Buffer.byteLength(row.body), is_masked: false });
      const { digest } = body['verify'] as { digest: string };
      const folder = await mkdtemp(join(tmpdir(), 'own-webhooks-'));
      try {
        await writeFile(join(folder, 'body.json'), String(body['text']));
        const { stdout } = await promisify(execFile)('sh', ['-c', digest], { cwd: folder });
        expect(`sha-256=:${stdout.trim()}:`).toBe(body['content_digest']);
      } finally {
        await rm(folder, { recursive: true });
      }
    });

    it('is shown without the token that was given for it', async () => {
      const own = await party();
      const [row] = (await over(own, 1, { body: '{"token":"my-token","a":1}', secret: true })) as [Delivery];
      const { body } = await get(`/deliveries/${row.delivery_id}/body`, own);
      expect(body).toMatchObject({ text: '{"token":"********","a":1}', bytes: 26, is_masked: true });
    });
  });

  it('counts what became of an organization’s own, hour by hour and day by day', async () => {
    const [own, foreign] = [await party(), await party()];
    const hour = Math.floor(at.clock.now() / 3_600_000) * 3_600_000;
    const made = (hoursAgo: number) => ({ created_at: toTimestamp(hour - hoursAgo * 3_600_000 + 1) });
    await over(own, 2, { state: 'delivered', ...made(0) });
    await over(own, 1, { state: 'rejected', ...made(0) });
    await over(own, 3, { state: 'delivered', ...made(23) });
    await over(own, 4, { state: 'exhausted', ...made(200) });
    await over(foreign, 5, { state: 'delivered', ...made(0) });
    const day = (await get('/stats', own)).body as { points: { at: string; deliveries: Json }[] };
    expect(day).toMatchObject({ range: 'day', step_seconds: 3_600 });
    expect(day.points).toHaveLength(24);
    expect(day.points[0]).toMatchObject({
      at: made(23).created_at.replace('001Z', '000Z'),
      deliveries: { delivered: 3 },
    });
    expect(day.points[23]?.deliveries).toMatchObject({ delivered: 2, rejected: 1, exhausted: 0 });
    const month = (await get('/stats?range=month', own)).body as typeof day;
    expect(month.points).toHaveLength(30);
    const sum = (state: string) => month.points.reduce((all, { deliveries }) => all + Number(deliveries[state]), 0);
    expect([sum('delivered'), sum('rejected'), sum('exhausted')]).toEqual([5, 1, 4]);
    expect((await get('/stats?range=year', own)).status).toBe(400);
  });

  it('shows API keys by name and last use, never themselves, and the keys that the agent’s card leads to', async () => {
    const [own, foreign] = [await party(), await party()];
    await get('/deliveries', foreign);
    const { body } = await get('/api-keys', own);
    expect(body).toMatchObject({ has_more: false, api_keys: [{ key_hint: own.key.slice(-4), revoked_at: null }] });
    expect(JSON.stringify(body)).not.toMatch(/hash|mk_live_/);
    const { keys } = await at.webhooks.jwks();
    const shown = (await get('/signing-keys', own)).body;
    expect(shown).toMatchObject({ revoked_kids: [], keys: keys.map(({ kid, x }) => ({ kid, x })) });
    expect(String(shown['jwks_url'])).toMatch(/\/\.well-known\/jwks\.json$/);
  });

  it.each(endpoints.filter(({ path }) => path.startsWith(BASE) && /range|registrations/.test(path)))(
    '[R13] $method $path takes the scope of what it does, and a credential',
    async ({ method, path, effect }) => {
      const { organization_id } = await at.organization({});
      const scope = effect === 'read' ? 'webhooks:read' : 'webhooks:write';
      const other = await at.apiKey(organization_id, [effect === 'read' ? 'webhooks:write' : 'webhooks:read']);
      const call = (key?: string) => {
        const of = path.replaceAll(/\{\w+\}/g, 'none');
        const asked = method === 'get' ? at.get(of) : at.post(of, {});
        return key === undefined ? asked : asked.set(bearer(key));
      };
      expect((await call()).status).toBe(401);
      expect(await call(other)).toMatchObject({
        status: 403,
        body: { error: `this API key lacks the scope ${scope}` },
      });
      expect((await call(await at.apiKey(organization_id, [scope]))).status).not.toBe(403);
    },
  );
});
