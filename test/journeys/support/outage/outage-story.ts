import assert from 'node:assert/strict';
import type { Chance } from '../../../support/chance.ts';
import type { FaultPoint } from '../../../support/fault-point.ts';
import { until } from '../../../support/until.ts';
import type { StoreKind } from '../test-agent.ts';
import { openRuin } from './ad-server-process.ts';
import { makeRunning, requestsFor, sendAll } from './campaigns.ts';
import { ordersAfter, queueOfPuts, tellings } from './findings.ts';
import { startInstallation } from './installation-processes.ts';
import type { Installation } from './installation-processes.ts';
import { openVerifiedReceiver } from './verified-receiver.ts';
import { startWorkers } from './worker-lineages.ts';

/** An end for what hangs, in milliseconds; nothing is concluded from how long anything takes. */
const LONG_MS = 600_000;
const CREATES = 50;
/** Raises, cuts and pauses, each. */
const CHANGES = 10;

export interface OutageOptions {
  store: StoreKind;
  chance: Chance;
  /** For how long the ad server is away at least, once only probes are sent, in milliseconds. */
  awayMs: number;
  /** Where workers are to die while it is away, by lineage; an empty list for one that is not to. */
  fates: readonly (readonly FaultPoint[])[];
  /** How often one of them is killed besides, until everything has come out; in milliseconds. */
  killEveryMs?: number;
  /** Redis forgets everything, in the middle of it and just before the end. */
  flush?: boolean;
  /** Told what happens. */
  say?: (what: string) => void;
}

/** What an outage came to, to be printed. */
export type OutageFigures = Record<string, string | number>;

/**
 * A buyer's changes while the ad server's process is dead, told by several workers that may die meanwhile, and what has become of
 * them once it is back.
 * @throws when anything of it is not as it would be without the outage.
 */
export async function playOutage(options: OutageOptions): Promise<OutageFigures> {
  const { store, chance, awayMs, fates, killEveryMs, flush = false, say = () => undefined } = options;
  const closers: (() => Promise<unknown>)[] = [];
  try {
    const place = await startInstallation(store);
    closers.push(() => place.close());
    const receiver = await openVerifiedReceiver(place.baseUrl);
    closers.push(() => receiver.close());
    const calm = await startWorkers(place.workerEnv, [[]]);
    const running = await makeRunning(place, CHANGES).finally(() => calm.stop());
    say(`${running.all.length} media buys run; the ad server is killed`);

    await place.adServer.kill();
    const diedAt = Date.now();
    const workers = await startWorkers(place.workerEnv, fates);
    closers.push(() => workers.stop());
    const killing =
      killEveryMs === undefined
        ? undefined
        : setInterval(() => {
            workers.killOne();
          }, killEveryMs);
    closers.push(() => {
      clearInterval(killing);
      return Promise.resolve();
    });
    const alive = <T>(waiting: Promise<T>) => Promise.race([waiting, workers.failed]);

    const requests = chance.shuffled(requestsFor(running, CREATES, receiver.url()));
    const asked = await sendAll(place, requests);
    say(`${asked.length} changes are asked for`);
    const planned = fates.flat().length;
    await alive(until(() => allWait(place, running.all.length), LONG_MS));
    await alive(until(() => workers.deaths() >= planned, LONG_MS));
    say('all wait, and only probes are sent; an HTTP server stands where the ad server was and counts them');
    const ruin = await openRuin(place.adServer.url);
    closers.push(() => ruin.close());
    if (flush) await place.flush();
    await alive(until(() => ruin.asked.length > 0 && Date.now() >= diedAt + awayMs, awayMs + LONG_MS));
    const again = await sendAll(place, requests);
    assert.deepEqual(byKey(again), byKey(asked), 'the same request under the same key is the same task');
    if (flush) await place.flush();
    assert.deepEqual(
      [...new Set(ruin.asked)],
      ['GET /v1/description'],
      'only probes are sent to an ad server that is away',
    );
    await closers.pop()?.();

    const awayForMs = Date.now() - diedAt;
    await place.adServer.start();
    const backAt = Date.now();
    say(`the ad server is back after ${Math.round(awayForMs / 1000)} s`);
    const isTold = () =>
      asked.every(({ task_id }) =>
        receiver.received.some(({ body }) => body['task_id'] === task_id && body['status'] === 'completed'),
      );
    await alive(until(isTold, LONG_MS));
    const drainedMs = Date.now() - backAt;
    clearInterval(killing);
    await alive(until(() => isDelivered(place), LONG_MS));
    say(`all changes have come out after ${(drainedMs / 1000).toFixed(1)} s`);

    const calls = await place.adServer.calls();
    const isCalm = workers.deaths() === 0 && !flush;
    const puts = queueOfPuts(calls, running, backAt);
    const webhooks = await tellings(place, asked, receiver);
    const orders = await ordersAfter(place, running, asked, webhooks.created);
    assert.deepEqual(receiver.refused, [], 'every webhook is verified');
    const deaths = workers.deaths();
    if (isCalm) assert.equal(webhooks.unasked, 0, 'no webhook comes more often than it was sent on record');
    return {
      store,
      'ad server away, s': Math.round(awayForMs / 1000),
      'probes while away': ruin.asked.length,
      'other calls while away': 0,
      'workers killed': deaths,
      'Redis flushed': flush ? 2 : 0,
      ...orders,
      ...webhooks.figures,
      ...puts,
      'from its return to the last webhook, s': (drainedMs / 1000).toFixed(1),
    };
  } finally {
    for (const close of closers.splice(0).reverse()) await close();
  }
}

/** Whether the breaker is open, and everything that was asked for has been written down as owed. */
async function allWait(place: Installation, existing: number): Promise<boolean> {
  const { state, orders_waiting } = await place.adServerState();
  if (state !== 'open' || orders_waiting < CREATES + existing) return false;
  const { orders } = (await place.operate('/orders?limit=100')) as { orders: { waiting: { kind: string } }[] };
  return orders.filter(({ waiting }) => waiting.kind === 'pause').length === CHANGES;
}

async function isDelivered(place: Installation): Promise<boolean> {
  const { deliveries } = (await place.operate('/webhooks/deliveries?state=pending&limit=1')) as {
    deliveries: unknown[];
  };
  return deliveries.length === 0;
}

function byKey(asked: readonly { input: Record<string, unknown>; task_id: string }[]): Record<string, string> {
  return Object.fromEntries(asked.map(({ input, task_id }) => [String(input['idempotency_key']), task_id] as const));
}
