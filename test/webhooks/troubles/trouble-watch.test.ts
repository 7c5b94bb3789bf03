import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, it } from 'vitest';
import { createOutbound } from '../../../src/platform/outbound/outbound-client.ts';
import type { Outbound } from '../../../src/platform/outbound/outbound-client.ts';
import { sealer } from '../../../src/platform/crypto/sealer.ts';
import { createMetrics } from '../../../src/platform/metrics/metrics.ts';
import type { Metrics } from '../../../src/platform/metrics/metrics.ts';
import type { OrganizationId } from '../../../src/platform/organization-id.ts';
import { createQueues } from '../../../src/platform/queue/queue-bullmq.ts';
import type { Queues } from '../../../src/platform/queue/queue.ts';
import type { Store } from '../../../src/platform/store/collection.ts';
import { COLLECTIONS } from '../../../src/main/wiring/collections.ts';
import { Deliveries } from '../../../src/webhooks/delivery/delivery.ts';
import type { Delivery } from '../../../src/webhooks/delivery/delivery.ts';
import { OPERATOR } from '../../../src/webhooks/troubles/operational-webhook.ts';
import { createTroubleWatch } from '../../../src/webhooks/troubles/trouble-watch.ts';
import { Troubles } from '../../../src/webhooks/troubles/trouble.ts';
import { createWebhooks } from '../../../src/webhooks/webhooks.ts';
import type { Webhooks } from '../../../src/webhooks/webhooks.ts';
import { installation, silent } from '../../directory/support/installation.ts';
import type { Installation } from '../../directory/support/installation.ts';
import { organizationId } from '../../support/ids.ts';
import { describeOnStores } from '../../support/stores.ts';
import { judge } from '../support/judge.ts';
import { openReceiver, status } from '../support/open-receiver.ts';
import type { Receiver } from '../support/open-receiver.ts';
import { NAMES } from '../support/open-sender.ts';

const MINUTE = 60_000;
const REFUSED_SIGNATURE = status(401, { 'WWW-Authenticate': 'Signature error="webhook_signature_invalid"' });

describeOnStores('[C.operational-events] the operator is told of receivers in trouble, on %s', (kind) => {
  let at: Installation;
  let other: Store;
  let queues: Queues;
  let outbound: Outbound;
  let ops: Receiver;
  let metrics: Metrics;
  /** Two processes over one store. */
  let workers: readonly [Webhooks, Webhooks];
  let buyer: Receiver;
  let organization_id: OrganizationId;

  beforeAll(async () => {
    at = await installation(COLLECTIONS, kind);
    other = await at.another();
    queues = createQueues({
      connection: process.env['REDIS_TEST_URL'] ?? '',
      prefix: `t-${randomUUID()}`,
      logger: silent,
    });
    outbound = createOutbound({ allowLoopback: true });
    ops = await openReceiver();
    metrics = createMetrics();
    workers = [worker(at.store), worker(other)];
  });
  beforeEach(async () => {
    buyer = await openReceiver(status(503));
    organization_id = organizationId(`org_${randomUUID()}`);
  });
  afterEach(() => buyer.close());
  afterAll(async () => {
    await ops.close();
    await outbound.close();
    await queues.close();
    await at.close();
  });

  function worker(store: Store): Webhooks {
    return createWebhooks({
      ...{ store, queues, outbound, clock: at.clock, ids: at.ids, log: silent, names: NAMES, counters: metrics },
      sealer: sealer('a sealing secret of the tests, long enough'),
      identity: { publicBaseUrl: 'https://seller.example', name: 'Seller' },
      ...{ allowLoopback: true, allowLegacyBearer: false, random: () => 0 },
      operatorUrl: ops.url('/ops'),
    });
  }

  const deliveries = () => at.store.collection(Deliveries);

  /** A webhook to the buyer's receiver, on its way. */
  async function sent(of = organization_id, url = buyer.url()): Promise<Delivery> {
    const task_id = randomUUID();
    await workers[0].send([
      {
        ...{
          organization_id: of,
          task_id,
          task_type: 'create_media_buy',
          subject_id: null,
          sequence: 2,
          event: 'working',
        },
        target: { registration_id: 'r1', url, mode: 'rfc9421' },
        ...{ idempotency_key: randomUUID(), body: '{}' },
      },
    ]);
    const { rows } = await deliveries().find({ where: { task_id } });
    if (rows[0] === undefined) throw new Error('no delivery was made');
    return rows[0];
  }

  /** Makes the attempt that a delivery owes. */
  async function attempt(by: Webhooks, { delivery_id, destination }: Delivery): Promise<void> {
    const stored = await deliveries().get(delivery_id);
    const job = { delivery_id, destination, attempt: (stored?.attempts.length ?? 0) + 1 };
    await by.attempt(job, new AbortController().signal);
  }

  /** A whole delivery that fails, or does not, at once. */
  const tried = async (by: Webhooks, of?: OrganizationId) => {
    await attempt(by, await sent(of));
    at.clock.advance(1);
  };

  const processAll = () => Promise.all(workers.map((one) => one.troubles.process()));

  /** What the operator was told of this organization's receivers, in order. */
  async function told(of = organization_id) {
    const { rows } = await deliveries().find({ where: { organization_id: OPERATOR }, limit: 1000 });
    const own = rows.filter(({ body }) => body.includes(of));
    return own.sort((a, b) => a.sequence - b.sequence || a.created_at.localeCompare(b.created_at));
  }
  const events = async (of?: OrganizationId) => (await told(of)).map(({ event }) => event);
  const troubles = async (of = organization_id) => {
    const { rows } = await at.store.collection(Troubles).find({ where: {}, limit: 1000 });
    return rows.filter((row) => row.organization_id === of);
  };

  it('once when one has failed for an hour, and once when it takes webhooks again, by a signed webhook, whoever notices', async () => {
    const [a, b] = workers;
    const row = await sent();
    const failed = at.clock.now();
    await attempt(a, row);
    await processAll();
    at.clock.advance(59 * MINUTE);
    await attempt(b, row);
    await processAll();
    expect(await events()).toEqual([]);
    at.clock.advance(2 * MINUTE);
    await attempt(a, row);
    await processAll();
    await processAll();
    expect(await events()).toEqual(['destination_failing']);
    expect(await a.troubles.countFailing()).toBeGreaterThanOrEqual(1);
    at.clock.advance(60 * MINUTE);
    await attempt(b, row);
    await processAll();
    expect(await events()).toEqual(['destination_failing']);

    buyer.answer = status(204);
    at.clock.advance(20 * MINUTE);
    await attempt(b, row);
    await processAll();
    await processAll();
    expect(await events()).toEqual(['destination_failing', 'destination_recovered']);
    expect(await troubles()).toEqual([]);

    const [failing] = await told();
    if (failing === undefined) throw new Error('nothing was told');
    await attempt(a, failing);
    const received = ops.request();
    await judge(received, (await a.jwks()).keys, at.clock.now());
    expect(received.body).toMatchObject({
      ...{ task_type: 'operational_event', status: 'completed', idempotency_key: failing.idempotency_key },
      result: {
        ...{ event: 'destination_failing', organization_id, destination: new URL(buyer.url()).origin },
        ...{ cause: 'receiver failed', http_status_code: 503, failing_since: new Date(failed).toISOString() },
      },
    });
    expect(await metrics.text()).toMatch(/mba_operational_events_total\{event="destination_failing"\} 1\n/);
  });

  it('not of one that takes a webhook now and then, nor of another organization for this one', async () => {
    const [a, b] = workers;
    const neighbour = organizationId(`org_${randomUUID()}`);
    for (let i = 0; i < 4; i++) {
      buyer.answer = status(503);
      await tried(a);
      await tried(a, neighbour);
      buyer.answer = status(204);
      await tried(b);
      await processAll();
      at.clock.advance(25 * MINUTE);
    }
    expect(await events()).toEqual([]);
    expect(await events(neighbour)).toEqual(['destination_failing']);
  });

  it('at once and once when a signature is refused, and again only after a success', async () => {
    const [a, b] = workers;
    buyer.answer = REFUSED_SIGNATURE;
    await tried(a);
    await tried(b);
    await tried(a);
    await processAll();
    expect(await told()).toMatchObject([{ event: 'signature_refused' }]);
    buyer.answer = status(204);
    await tried(b);
    await processAll();
    buyer.answer = REFUSED_SIGNATURE;
    await tried(a);
    await processAll();
    const all = await told();
    expect(all.map(({ event }) => event).sort()).toEqual([
      'destination_recovered',
      'signature_refused',
      'signature_refused',
    ]);
    expect(new Set(all.map(({ idempotency_key }) => idempotency_key)).size).toBe(3);
  });

  it('once, under one key, when the process that was to tell it is killed', async () => {
    buyer.answer = REFUSED_SIGNATURE;
    await tried(workers[0]);
    const [decided] = await troubles();
    expect(decided?.owed).toHaveLength(1);
    const dying = createTroubleWatch({
      ...{ troubles: at.store.collection(Troubles), clock: at.clock, ids: at.ids, log: silent, counters: metrics },
      operatorUrl: ops.url('/ops'),
      send: () => Promise.reject(new Error('killed')),
    });
    await expect(dying.process()).rejects.toThrow('killed');
    await processAll();
    await processAll();
    expect((await told()).map(({ idempotency_key }) => idempotency_key)).toEqual([decided?.owed[0]?.idempotency_key]);
  });

  it('not twice when it was sent, and the process was killed before it could say so', async () => {
    buyer.answer = REFUSED_SIGNATURE;
    await tried(workers[0]);
    const dying = createTroubleWatch({
      ...{ troubles: at.store.collection(Troubles), clock: at.clock, ids: at.ids, log: silent, counters: metrics },
      operatorUrl: ops.url('/ops'),
      async send(all) {
        await workers[0].send(all);
        throw new Error('killed');
      },
    });
    await expect(dying.process()).rejects.toThrow('killed');
    await processAll();
    expect(await events()).toEqual(['signature_refused']);
  });

  it('never of its own receiver', async () => {
    ops.answer = status(503);
    buyer.answer = REFUSED_SIGNATURE;
    await tried(workers[0]);
    await processAll();
    const [own] = await told();
    if (own === undefined) throw new Error('nothing was told');
    for (const minutes of [1, 30, 45, 60]) {
      await attempt(workers[0], own);
      await processAll();
      at.clock.advance(minutes * MINUTE);
    }
    expect(await events()).toEqual(['signature_refused']);
    expect(await troubles(OPERATOR)).toEqual([]);
    ops.answer = status(204);
  });

  describe('a store that is away', () => {
    it('loses no note', async () => {
      const rows = at.store.collection(Troubles);
      let isAway = true;
      const watch = createTroubleWatch({
        ...{ clock: at.clock, ids: at.ids, log: silent, counters: metrics, send: () => Promise.resolve() },
        troubles: {
          ...rows,
          find: (query) => rows.find(query),
          update: (key, change) => (isAway ? Promise.reject(new Error('away')) : rows.update(key, change)),
          insert: (row) => rows.insert(row),
          replace: (row) => rows.replace(row),
          delete: (key, count) => rows.delete(key, count),
        },
      });
      const row = await sent();
      buyer.answer = status(503);
      await attempt(workers[0], row);
      const [made] = (await deliveries().get(row.delivery_id))?.attempts ?? [];
      if (made === undefined) throw new Error('no attempt was made');
      await watch.note(row, made);
      await expect(watch.process()).rejects.toThrow('away');
      isAway = false;
      await watch.process();
      expect(await troubles()).toMatchObject([{ state: 'watched', failing_since: made.started_at }]);
    });
  });
});
