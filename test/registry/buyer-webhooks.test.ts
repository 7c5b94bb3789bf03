import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createReceiver, memoryInbox, memoryReplayStore } from '#receiver';
import type { ReceivedWebhook } from '#receiver';
import { toNode } from '#receiver/node/index';
import { SCOPES } from '../../src/directory/caller.ts';
import type { Scope } from '../../src/directory/caller.ts';
import { userIdOf } from '../../src/directory/oauth/access-token.ts';
import { membershipId, memberships } from '../../src/directory/membership/membership.ts';
import { toTimestamp } from '../../src/platform/clock.ts';
import type { OrganizationId } from '../../src/platform/organization-id.ts';
import { endpoints } from '../../src/registry/index.ts';
import type { ShownAnswer } from '../../src/webhooks/answers/receiver-answer.ts';
import type { BuyerDelivery } from '../../src/webhooks/buyer/delivery-view.ts';
import type { DestinationHealth } from '../../src/webhooks/buyer/destination-health.ts';
import type { TestOutcome } from '../../src/webhooks/buyer/test-event.ts';
import { Deliveries } from '../../src/webhooks/delivery/delivery.ts';
import type { Delivery } from '../../src/webhooks/delivery/delivery.ts';
import { gateTargetOf } from '../../src/webhooks/delivery/gate-target.ts';
import { describeOnStores } from '../support/stores.ts';
import { judge } from '../webhooks/support/judge.ts';
import { makeKnown } from '../webhooks/support/known-origin.ts';
import { openReceiver, status } from '../webhooks/support/open-receiver.ts';
import type { Receiver } from '../webhooks/support/open-receiver.ts';
import { ISSUER, startRegistry } from './support/registry.ts';
import type { Registry } from './support/registry.ts';

const BASE = '/api/buyer/webhooks';
const bearer = (credential: string) => ({ Authorization: `Bearer ${credential}` });
const OWN = endpoints.filter(({ path }) => path.startsWith(BASE) && !/range|registrations/.test(path));

describeOnStores("[C.endpoints.buyer-webhooks] a buyer's own webhooks on %s", (kind) => {
  let at: Registry;
  let receiver: Receiver;
  let own: Party;
  let foreign: Party;

  interface Party {
    organization_id: OrganizationId;
    key: string;
    /** A person of it, without a `scope` claim. */
    user: string;
  }

  beforeAll(async () => {
    at = await startRegistry(kind);
    receiver = await openReceiver();
    await makeKnown(at.gate, receiver.url(), at.clock.now());
    own = await party();
    foreign = await party();
  });
  afterAll(async () => {
    await receiver.close();
    await at.close();
  });

  async function party(): Promise<Party> {
    const { organization_id } = await at.organization({});
    const sub = randomUUID();
    const user = await member(sub, organization_id);
    return { organization_id, key: await at.apiKey(organization_id), user };
  }

  /** A token of somebody who belongs to these organizations. */
  async function member(sub: string, ...of: OrganizationId[]): Promise<string> {
    const user_id = userIdOf(ISSUER, sub);
    for (const organization_id of of) {
      await at.store.collection(memberships).insert({
        membership_id: membershipId(organization_id, user_id),
        ...{ organization_id, user_id, role: 'member', created_at: toTimestamp(at.clock.now()), revision: 1 },
      });
    }
    return at.token({ sub });
  }

  /** An event of an organization's, on its way. */
  async function sent(organization_id: OrganizationId, changes: { url?: string; task_id?: string } = {}) {
    const { url = receiver.url('/hook?secret=1'), task_id = `t-${randomUUID()}` } = changes;
    await at.webhooks.send([
      {
        ...{ organization_id, task_id, task_type: 'create_media_buy', subject_id: null, sequence: 2, event: 'working' },
        target: { registration_id: randomUUID(), url, mode: 'rfc9421' },
        ...{ idempotency_key: randomUUID(), body: '{"hidden":true}' },
      },
    ]);
    const { rows } = await at.store.collection(Deliveries).find({ where: { task_id } });
    const [row] = rows;
    if (row === undefined) throw new Error('no delivery was made');
    return row;
  }

  async function attempt(row: Delivery): Promise<void> {
    const { delivery_id, destination } = row;
    const stored = await at.store.collection(Deliveries).get(delivery_id);
    const job = { delivery_id, destination, attempt: (stored?.attempts.length ?? 0) + 1 };
    await at.webhooks.attempt(job, new AbortController().signal);
  }

  const list = async (credential: string, query = '') =>
    (await at.get(`${BASE}/deliveries${query}`).set(bearer(credential))).body as {
      deliveries: BuyerDelivery[];
      has_more: boolean;
      cursor?: string;
    };

  const test = (body: object, credential = own.key) => at.post(`${BASE}/test`, body).set(bearer(credential));

  /** A URL that no other test event goes to, and that leads nowhere. */
  const nowhere = () => ({ url: `https://${randomUUID()}.test/hook` });

  /** The steps of a test event, each with its end. */
  const steps = ({ phases }: TestOutcome) => phases.map(({ phase, outcome }) => `${phase} ${outcome}`);

  describe('who may call', () => {
    const path = (of: (typeof OWN)[number], delivery_id: string) => of.path.replace('{delivery_id}', delivery_id);
    const call = async (of: (typeof OWN)[number], delivery_id: string, credential?: string) => {
      const asked = of.method === 'get' ? at.get(path(of, delivery_id)) : at.post(path(of, delivery_id), nowhere());
      if (credential !== undefined) void asked.set(bearer(credential));
      const answer = await asked;
      return { status: answer.status, body: answer.body as unknown };
    };

    it.each(OWN)('[T5] [R13] $method $path: nobody, another scope, another organization, the owner', async (row) => {
      const { delivery_id } = await sent(own.organization_id);
      const scope: Scope = row.effect === 'read' ? 'webhooks:read' : 'webhooks:write';
      expect((await call(row, delivery_id)).status).toBe(401);

      const others = await at.apiKey(
        own.organization_id,
        SCOPES.filter((one) => one !== scope),
      );
      expect(await call(row, delivery_id, others)).toMatchObject({
        status: 403,
        body: { error: `this API key lacks the scope ${scope}` },
      });

      const isOfOne = row.path.includes('{delivery_id}');
      for (const credential of [foreign.key, foreign.user]) {
        const unknown = await call(row, 'd-unknown', credential);
        const theirs = await call(row, delivery_id, credential);
        expect(theirs.status).toBe(isOfOne ? 404 : 200);
        if (isOfOne) expect(theirs).toEqual(unknown);
        else expect(JSON.stringify(theirs.body)).not.toContain(delivery_id);
      }

      const only = await at.apiKey(own.organization_id, [scope]);
      for (const credential of [only, own.user]) expect((await call(row, delivery_id, credential)).status).toBe(200);
    });

    it('a person of several organizations names one; a token that names one acts for no other', async () => {
      const sub = randomUUID();
      const both = await member(sub, own.organization_id, foreign.organization_id);
      const row = await sent(own.organization_id);
      const shown = (credential: string, organization_id?: string) =>
        at
          .get(`${BASE}/deliveries/${row.delivery_id}`)
          .query(organization_id === undefined ? {} : { organization_id })
          .set(bearer(credential));
      const unnamed = await shown(both);
      expect([unnamed.status, (unnamed.body as { field: string }).field]).toEqual([400, 'organization_id']);
      expect((await shown(both, own.organization_id)).status).toBe(200);
      expect((await shown(both, foreign.organization_id)).status).toBe(404);
      const tied = await at.token({ sub, organization_id: own.organization_id });
      expect((await shown(tied)).status).toBe(200);
      expect((await shown(tied, foreign.organization_id)).status).toBe(404);
      // Of an organization that is not theirs, or not there, nothing is told but that.
      const strange = [await shown(own.user, foreign.organization_id), await shown(own.user, 'org_none')];
      expect(strange.map(({ status: code, body: told }) => [code, told as unknown])).toEqual([
        [404, { error: 'no such organization', field: 'organization_id' }],
        [404, { error: 'no such organization', field: 'organization_id' }],
      ]);
      expect((await shown(own.key, foreign.organization_id)).status).toBe(404);
      expect((await shown(await at.token({ sub: randomUUID() }))).status).toBe(403);
    });

    it.each([
      ['/deliveries?state=lost', 'state'],
      ['/deliveries?state[]=pending', undefined],
      ['/deliveries?state=pending&state=gone', 'state'],
      ['/deliveries?task_id=', 'task_id'],
      ['/deliveries?limit=101', 'limit'],
      ['/deliveries?status=pending', undefined],
      ['/deliveries?cursor=made-up', 'cursor'],
      [`/deliveries/${'d'.repeat(513)}`, 'delivery_id'],
      ['/destinations?url=nothing', 'url'],
      ['/deliveries?organization_id=a&organization_id=b', undefined],
    ])('refuses %s', async (query, field) => {
      const answer = await at.get(BASE + query).set(bearer(own.user));
      expect([400, 404]).toContain(answer.status);
      if (field !== undefined) expect((answer.body as { field: string }).field).toBe(field);
    });
  });

  describe('deliveries', () => {
    it('[W11] are listed newest first with what became of them, without body, secrets and query', async () => {
      const mine = await party();
      const first = await sent(mine.organization_id);
      at.clock.advance(1000);
      const second = await sent(mine.organization_id);
      receiver.answer = status(503);
      await attempt(second);
      receiver.answer = status(204);
      await attempt(first);

      const all = await list(mine.key);
      expect(all).toMatchObject({ has_more: false });
      expect(all.deliveries.map(({ delivery_id }) => delivery_id)).toEqual([second.delivery_id, first.delivery_id]);
      expect(all.deliveries).toMatchObject([
        {
          ...{ state: 'pending', event: 'working', task_id: second.task_id, url: receiver.url(), tries: 1 },
          last_attempt: { status: 'failed', http_status_code: 503, error_message: 'receiver failed' },
          next_attempt_at: expect.any(String) as string,
        },
        { state: 'delivered', tries: 1, last_attempt: { status: 'success', advice: null }, next_attempt_at: null },
      ]);
      expect(all.deliveries[0]?.last_attempt?.advice).toContain('its own log');
      expect(JSON.stringify(all)).not.toMatch(/secret=1|hidden|sealed|organization_id/);

      const pending = await list(mine.key, '?state=pending');
      expect(pending.deliveries.map(({ delivery_id }) => delivery_id)).toEqual([second.delivery_id]);
      const ofTask = await list(mine.key, `?task_id=${first.task_id}`);
      expect(ofTask.deliveries.map(({ delivery_id }) => delivery_id)).toEqual([first.delivery_id]);
      expect((await list(foreign.key, `?task_id=${first.task_id}`)).deliveries).toEqual([]);

      const page = await list(mine.key, '?limit=1');
      expect(page).toMatchObject({ has_more: true, deliveries: [{ delivery_id: second.delivery_id }] });
      const rest = await list(mine.key, `?limit=1&cursor=${page.cursor ?? ''}`);
      expect(rest).toMatchObject({ has_more: false, deliveries: [{ delivery_id: first.delivery_id }] });
      // A cursor holds for the list that gave it, and for nobody else's.
      expect((await at.get(`${BASE}/deliveries?cursor=${page.cursor ?? ''}`).set(bearer(foreign.key))).status).toBe(
        400,
      );
    });

    it("[W8.answers] one is shown with its receiver's last failed answer to this organization, never to another", async () => {
      const [mine, theirs] = [await party(), await party()];
      const rows = [await sent(mine.organization_id), await sent(theirs.organization_id)] as const;
      for (const [row, words] of [
        [rows[0], 'to me <b>'],
        [rows[1], 'to them'],
      ] as const) {
        receiver.answer = (response) => response.writeHead(500).end(words);
        await attempt(row);
      }
      receiver.answer = status(204);
      const answerOf = async ({ delivery_id }: Delivery, { key }: Party) =>
        (await at.get(`${BASE}/deliveries/${delivery_id}`).set(bearer(key))).body as { receiver_answer: ShownAnswer };
      expect((await answerOf(rows[0], mine)).receiver_answer).toEqual({
        ...{ delivery_id: rows[0].delivery_id, http_status_code: 500, text: 'to me <b>', is_cut: false },
        answered_at: expect.any(String) as string,
      });
      expect((await answerOf(rows[1], theirs)).receiver_answer).toMatchObject({ text: 'to them' });
      // One that it has not failed yet, at the same place.
      const another = await party();
      expect(await answerOf(await sent(another.organization_id), another)).toMatchObject({ receiver_answer: null });
      expect((await answerOf(rows[0], theirs)).receiver_answer).toBeUndefined();
    });

    it('one is shown with its attempts, phase by phase, and sent again by a wish', async () => {
      const row = await sent(own.organization_id);
      receiver.answer = status(404);
      await attempt(row);
      receiver.answer = status(204);
      const show = () => at.get(`${BASE}/deliveries/${row.delivery_id}`).set(bearer(own.key));
      const shown = await show();
      expect(shown.headers['cache-control']).toBe('no-store');
      expect(shown.body).toMatchObject({
        state: 'rejected',
        attempts: [
          {
            ...{ attempt: 1, status: 'failed', http_status_code: 404, error_message: 'receiver refused the webhook' },
            timings: { first_byte_ms: expect.any(Number) as number, total_ms: expect.any(Number) as number },
            advice: expect.stringContaining('operation_id') as string,
          },
        ],
      });
      const again = await at.post(`${BASE}/deliveries/${row.delivery_id}/resend`).set(bearer(own.key));
      expect([again.status, again.body]).toEqual([
        200,
        { delivery_id: row.delivery_id, idempotency_key: row.idempotency_key, is_new_event: false },
      ]);
      await attempt(row);
      expect((await show()).body).toMatchObject({ state: 'delivered', attempts: [{}, { attempt: 2 }] });
    });

    it('are sent again 60 times an hour for one organization, whoever of it asks', async () => {
      const mine = await party();
      const { delivery_id } = await sent(mine.organization_id);
      const again = (credential: string) => at.post(`${BASE}/deliveries/${delivery_id}/resend`).set(bearer(credential));
      const first = await again(mine.key);
      expect(first.headers).toMatchObject({ 'ratelimit-policy': '60;w=3600', 'ratelimit-remaining': '59' });
      expect((await again(mine.user)).headers['ratelimit-remaining']).toBe('58');
      const another = await at.apiKey(mine.organization_id);
      for (let i = 0; i < 58; i++) expect((await again(another)).status).toBe(200);
      for (const credential of [mine.key, mine.user, another])
        expect(await again(credential)).toMatchObject({ status: 429, headers: { 'ratelimit-remaining': '0' } });
    });
  });

  it('destinations are told by what the own webhooks met there', async () => {
    const mine = await party();
    const away = await openReceiver(status(500));
    const theirs = await openReceiver(status(500));
    await attempt(await sent(foreign.organization_id, { url: theirs.url() }));
    const waiting = await sent(mine.organization_id, { url: away.url() });
    await attempt(waiting);
    await attempt(await sent(mine.organization_id));
    const destinations = async (query = '') => {
      const answer = await at.get(`${BASE}/destinations${query}`).set(bearer(mine.key));
      return (answer.body as { destinations: DestinationHealth[] }).destinations;
    };
    expect(await destinations()).toMatchObject([
      {
        ...{ destination: new URL(away.url()).origin, state: 'failing', waiting: 1 },
        ...{ waiting_since: waiting.created_at, last_success_at: null },
        next_attempt_at: expect.any(String) as string,
        last_attempt: { http_status_code: 500, advice: expect.any(String) as string },
        recent: { delivered: 0, pending: 1, over: 0 },
      },
      {
        ...{ destination: new URL(receiver.url()).origin, state: 'answering', waiting: 0, waiting_since: null },
        last_success_at: expect.any(String) as string,
        recent: { delivered: 1, pending: 0, over: 0 },
      },
    ]);
    expect(await destinations(`?url=${encodeURIComponent(away.url('/any?path'))}`)).toHaveLength(1);
    expect(await destinations(`?url=${encodeURIComponent(theirs.url())}`)).toEqual([]);
    await at.webhooks.operator.pause({ destination: waiting.destination, by: 'o', reason: 'r' });
    expect(await destinations()).toMatchObject([{ state: 'paused' }, { state: 'answering' }]);
    await Promise.all([away.close(), theirs.close()]);
  });

  describe('a test event', () => {
    it('[W1] [W12] is an ordinary signed event that a receiver verifies and reads', async () => {
      const got: ReceivedWebhook[] = [];
      const listening = createServer();
      await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
      const origin = `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;
      const { keys } = await at.webhooks.jwks();
      const kit = createReceiver({
        publicUrl: origin,
        registration: { mode: 'rfc9421', sender: 'seller', jwks: { keys } },
        ...{ replay: memoryReplayStore(), inbox: memoryInbox(), now: () => at.clock.now() },
        expects: (operation_id) => operation_id === 'op-of-mine',
        onEvent: (webhook) => void got.push(webhook),
      });
      listening.on('request', toNode(kit));

      const url = `${origin}/hooks?tenant=7`;
      const answer = await test({ url, operation_id: 'op-of-mine' });
      const outcome = answer.body as TestOutcome;
      expect(answer.status).toBe(200);
      expect(outcome).toMatchObject({
        ...{ delivered: true, status: 'success', http_status_code: 200, advice: null },
        ...{ mode: 'rfc9421', url: `${origin}/hooks`, address: '127.0.0.1', operation_id: 'op-of-mine' },
      });
      expect(keys.map(({ kid }) => kid)).toContain(outcome.kid);
      expect(steps(outcome)).toEqual(['dns skipped', 'connect ok', 'tls skipped', 'answer ok']);
      expect(got).toHaveLength(1);
      expect(got[0]?.event).toMatchObject({
        ...{
          format: 'mcp',
          task_type: 'webhook_test',
          status: 'completed',
          is_final: true,
          operation_id: 'op-of-mine',
        },
        ...{ task_id: outcome.task_id, idempotency_key: outcome.idempotency_key, domain: 'media-buy' },
        result: { test: true },
      });

      listening.closeAllConnections();
      await new Promise((resolve) => listening.close(resolve));
      expect(await at.store.collection(Deliveries).find({ where: { task_id: outcome.task_id } })).toMatchObject({
        rows: [],
      });
    });

    it('[W4] is proved as a registration would have it: by RFC 9421, by a shared secret, and by bearer only where allowed', async () => {
      const secret = 'a shared secret of forty characters, yes';
      const to = await openReceiver();
      const signed = await test({ url: to.url() });
      expect(signed.body).toMatchObject({ delivered: true, mode: 'rfc9421' });
      const { keys } = await at.webhooks.jwks();
      await judge(to.request(), keys, at.clock.now());
      await to.close();

      const other = await openReceiver();
      const hmac = await test({
        url: other.url(),
        authentication: { schemes: ['HMAC-SHA256'], credentials: secret },
        token: 'my-token',
      });
      expect(hmac.body).toMatchObject({ delivered: true, mode: 'hmac-sha256' });
      expect(JSON.stringify(hmac.body)).not.toMatch(/shared secret|my-token/);
      expect(other.request().headers['signature']).toBeUndefined();
      expect(other.request().body).toMatchObject({ token: 'my-token', task_type: 'webhook_test' });
      await other.close();

      const refused = await test({
        url: 'https://b.example/',
        authentication: { schemes: ['Bearer'], credentials: secret },
      });
      expect([refused.status, (refused.body as { field: string }).field]).toEqual([400, 'authentication.schemes']);
      const weak = await test({
        url: 'https://b.example/',
        authentication: { schemes: ['HMAC-SHA256'], credentials: 'x' },
      });
      expect([weak.status, (weak.body as { field: string }).field]).toEqual([400, 'authentication.credentials']);
    });

    it.each([
      ['http://buyer.example/hook'],
      ['https://10.0.0.7/hook'],
      ['https://169.254.169.254/latest/meta-data'],
      ['https://[::ffff:10.0.0.7]/'],
      ['https://user:pass@buyer.example/'],
      ['ftp://buyer.example/'],
      ['buyer.example'],
    ])('[W16] goes to no %s', async (url) => {
      const answer = await test({ url });
      expect([answer.status, (answer.body as { field: string }).field]).toEqual([400, 'url']);
    });

    it('[W16] is not sent where a name leads to a private network', async () => {
      const { body } = (await test({ url: 'https://hooks.private.test/hook' })) as { body: TestOutcome };
      expect(body).toMatchObject({ delivered: false, error_message: 'address refused: private address' });
      expect(steps(body)).toEqual(['dns ok', 'connect failed', 'tls not_reached', 'answer not_reached']);
      expect(body.advice).toContain('public');
    });

    it('says where it went wrong: name, port, TLS, answer', async () => {
      const unnamed = (await test(nowhere())).body as TestOutcome;
      expect(steps(unnamed)).toEqual(['dns failed', 'connect not_reached', 'tls not_reached', 'answer not_reached']);
      expect(unnamed).toMatchObject({ status: 'connection_error', error_message: 'dns name not found' });

      const closed = await openReceiver();
      const url = closed.url();
      await closed.close();
      const refused = (await test({ url })).body as TestOutcome;
      expect(steps(refused)).toEqual(['dns skipped', 'connect failed', 'tls not_reached', 'answer not_reached']);
      expect(refused.advice).toContain('nothing listens');

      const plain = await openReceiver();
      const noTls = (await test({ url: plain.url().replace('http:', 'https:') })).body as TestOutcome;
      expect(steps(noTls)).toEqual(['dns skipped', 'connect ok', 'tls failed', 'answer not_reached']);
      await plain.close();

      const refusing = await openReceiver(
        status(401, { 'WWW-Authenticate': 'Signature error="webhook_signature_window_invalid"' }),
      );
      const told = (await test({ url: refusing.url() })).body as TestOutcome;
      expect(told).toMatchObject({ http_status_code: 401, signature_error: 'webhook_signature_window_invalid' });
      expect(told.advice).toContain('clock');
      expect(steps(told)).toEqual(['dns skipped', 'connect ok', 'tls skipped', 'answer ok']);
      await refusing.close();
    });

    it('[W18] goes once a second to an origin that never took one, whoever asks, and to none that the seller has paused', async () => {
      const stranger = await openReceiver(status(404));
      expect((await test({ url: stranger.url('/a') })).status).toBe(200);
      const again = await test({ url: stranger.url('/b') }, foreign.key);
      expect(again.status).toBe(429);
      expect(again.headers['retry-after']).toBe('1');
      expect(stranger.received).toHaveLength(1);
      await stranger.close();

      const known = await openReceiver();
      for (const path of ['/a', '/b', '/c']) expect((await test({ url: known.url(path) })).status).toBe(200);
      expect(known.received).toHaveLength(3);
      await known.close();

      const paused = await openReceiver();
      await at.webhooks.operator.pause({ destination: new URL(paused.url()).origin, by: 'o', reason: 'r' });
      expect((await test({ url: paused.url() })).status).toBe(409);
      expect(paused.received).toEqual([]);
      await paused.close();
    });

    it('[W18] tries a receiver whose breaker is open, and what waits goes on when it is taken', async () => {
      const back = await openReceiver(status(204));
      const target = gateTargetOf({ organization_id: own.organization_id, url: back.url() });
      await makeKnown(at.gate, back.url(), at.clock.now());
      const enter = () => at.gate.enter(target, at.clock.now());
      for (let verdict = await enter(); verdict.allowed; verdict = await enter()) {
        await at.gate.leave(target, verdict.permit, { outcome: 'failed', nowMs: at.clock.now(), tookMs: 1 });
      }
      expect((await test({ url: back.url() })).body).toMatchObject({ delivered: true });
      expect((await enter()).allowed).toBe(true);
      await back.close();
    });

    it('is refused at once, by field, for what no registration may say', async () => {
      const wrong = [
        [{}, 'url'],
        [{ url: 'https://a.example/', operation_id: '' }, 'operation_id'],
        [{ url: 7 }, 'url'],
      ] as const;
      for (const [body, field] of wrong) {
        const answer = await test(body);
        expect([answer.status, (answer.body as { field: string }).field]).toEqual([400, field]);
      }
      expect((await test({ url: 'https://a.example/', also: 1 })).status).toBe(400);
    });
  });
});
