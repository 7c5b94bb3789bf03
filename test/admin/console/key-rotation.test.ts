import { randomUUID } from 'node:crypto';
import { memoryReplayStore, verifyWebhook } from '#receiver';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openGate } from '../../../src/webhooks/delivery/admission.ts';
import { Deliveries } from '../../../src/webhooks/delivery/delivery.ts';
import { attemptJob } from '../../../src/webhooks/delivery/queue-deliveries.ts';
import { createWebhooks } from '../../../src/webhooks/webhooks.ts';
import type { Webhooks } from '../../../src/webhooks/webhooks.ts';
import { testClock } from '../../directory/support/installation.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { organizationId } from '../../support/ids.ts';
import { describeOnStores } from '../../support/stores.ts';
import { openReceiver } from '../../webhooks/support/open-receiver.ts';
import type { Receiver } from '../../webhooks/support/open-receiver.ts';
import type { Received } from '../../webhooks/support/received.ts';
import { visitorOf } from './support/visitor.ts';

const BUYER = organizationId('org_demo_buyer');
/** So many are on their way at once, each minute, until the former key is published no more. */
const [AT_ONCE, STEPS, STEP_MS] = [8, 26, 60_000];

describeOnStores('[W12] a signing key that is rotated in the console on %s', (kind) => {
  const clock = testClock();
  let agent: TestAgent;
  let receiver: Receiver;
  /** Two processes, each of which knows keys by itself. */
  let processes: Webhooks[];
  beforeAll(async () => {
    agent = await startTestAgent(kind, { working: false, clock });
    receiver = await openReceiver();
    processes = [1, 2].map(() =>
      createWebhooks({
        ...agent.core,
        ...{ gate: openGate, allowLoopback: true, allowLegacyBearer: false },
        identity: { publicBaseUrl: agent.baseUrl, name: 'Seller' },
      }),
    );
  });
  afterAll(async () => {
    await agent.stop();
    await receiver.close();
  });

  /** The key set as it is published, for as long as its answer says: never asked for again before. */
  let cached: { keys: Record<string, unknown>[]; until: number } | undefined;
  async function publishedKeys() {
    if (cached !== undefined && clock.now() < cached.until) return { keys: cached.keys };
    const answer = await fetch(`${agent.baseUrl}/.well-known/jwks.json`);
    const seconds = Number(/max-age=(\d+)/.exec(answer.headers.get('cache-control') ?? '')?.[1]);
    expect(seconds).toBeGreaterThan(0);
    const { keys } = (await answer.json()) as { keys: Record<string, unknown>[] };
    cached = { keys, until: clock.now() + seconds * 1000 };
    return { keys };
  }
  const replay = memoryReplayStore();
  const kids: string[] = [];
  async function verdictOn({ method, url, headers, rawBody }: Received): Promise<string> {
    const request = { method, url, headers, rawBody };
    const verdict = await verifyWebhook(
      request,
      { mode: 'rfc9421', jwks: await publishedKeys() },
      { replay, now: () => clock.now() },
    );
    if (!verdict.ok) return verdict.code;
    kids.push(/keyid="([^"]+)"/.exec(headers['signature-input'] ?? '')?.[1] ?? '');
    return 'verified';
  }

  it('[W12] leaves every webhook verifiable, those on their way too, for a receiver that keeps the key set as long as it is told', async () => {
    const admin = await visitorOf(agent, 'admin');
    const rows = agent.core.store.collection(Deliveries);
    const verdicts: string[] = [];
    /** Those that have arrived, and wait for their answer until the time has moved. */
    let held: (() => Promise<void>)[] = [];
    receiver.answer = (response, _n, received) => {
      held.push(async () => {
        verdicts.push(await verdictOn(received));
        response.writeHead(verdicts.at(-1) === 'verified' ? 204 : 401).end();
      });
    };
    for (let step = 0; step < STEPS; step += 1) {
      const webhooks = processes[step % 2] ?? agent.core.webhooks;
      const task_id = `t-${randomUUID()}`;
      await webhooks.send(
        Array.from({ length: AT_ONCE }, (_, i) => ({
          ...{ organization_id: BUYER, task_id, task_type: 'create_media_buy', subject_id: null, sequence: i + 1 },
          ...{ event: 'working', idempotency_key: randomUUID(), body: '{"said":"an event"}' },
          target: { registration_id: randomUUID(), url: receiver.url(), mode: 'rfc9421' as const },
        })),
      );
      const made = (await rows.find({ where: { task_id } })).rows;
      const arrived = receiver.arrived((step + 1) * AT_ONCE);
      const sent = made.map((row) => webhooks.attempt(attemptJob(row).data, new AbortController().signal));
      await arrived;
      if (step === 5) expect((await admin.send(await admin.form('/keys', 'Rotate'))).status).toBe(303);
      clock.advance(STEP_MS);
      const waiting = held;
      held = [];
      for (const answer of waiting) await answer();
      await Promise.all(sent);
    }
    expect(verdicts).toEqual(Array.from({ length: STEPS * AT_ONCE }, () => 'verified'));
    const first = kids[0];
    const turn = kids.findIndex((kid) => kid !== first);
    expect([new Set(kids).size, turn]).toEqual([2, expect.any(Number)]);
    // Long enough after it was published, and without a way back.
    expect(turn).toBeGreaterThan(6 * AT_ONCE);
    expect(new Set(kids.slice(turn + 2 * AT_ONCE)).size).toBe(1);
    expect(await rows.count({ state: 'delivered', organization_id: BUYER })).toBe(STEPS * AT_ONCE);
  });
});
