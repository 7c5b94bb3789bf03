import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLogger } from '../../../src/platform/log.ts';
import { createOutbound } from '../../../src/platform/outbound/outbound-client.ts';
import { createTargetGate } from '../../../src/platform/redis/target-gate-redis.ts';
import type { TargetGate } from '../../../src/platform/redis/target-gate.ts';
import { markNotified } from '../../../src/runtime/transition.ts';
import { gateOutcome } from '../../../src/webhooks/delivery/attempt.ts';
import { classify } from '../../../src/webhooks/delivery/classify.ts';
import { OPERATOR } from '../../../src/webhooks/troubles/operational-webhook.ts';
import { Troubles } from '../../../src/webhooks/troubles/trouble.ts';
import { selfSigned } from '../../platform/outbound/support/certificate.ts';
import { serveProxy } from '../../platform/outbound/support/egress-proxy.ts';
import { serveHttps } from '../../platform/outbound/support/servers.ts';
import { openReceiver } from '../support/open-receiver.ts';
import { openSender, storedRun, withStatuses } from '../support/open-sender.ts';
import type { Sender } from '../support/open-sender.ts';
import { registration } from '../support/registrations.ts';

const identity = selfSigned({ dns: ['buyer.example'] });
const resolve = () => Promise.resolve([{ address: '93.184.216.34', family: 4 }]);

let gate: TargetGate;
beforeAll(() => {
  gate = createTargetGate({
    connection: process.env['REDIS_TEST_URL'] ?? '',
    prefix: `t-${randomUUID()}`,
    logger: createLogger('error'),
  });
});
afterAll(() => gate.close());

/** A delivery to `https://buyer.example/hook`, not sent yet. */
async function owed(sender: Sender) {
  const begun = await storedRun(sender, [registration('https://buyer.example/hook')]);
  const { events, state } = withStatuses(begun, { state: 'working' });
  const outcome = await sender.runs.update(begun.task_id, (stored) => ({
    ...{ ...stored, events, state },
    notify_due_at: stored.created_at,
  }));
  await sender.webhooks.notifier.notify(outcome?.row ?? begun);
  await markNotified(sender, outcome?.row ?? begun);
  return sender.deliveryOf(begun.task_id);
}

describe('[W16.proxy] webhooks through a proxy that fails', () => {
  it('are told so and tried again, and neither close their target nor blame its receiver', async () => {
    let arrived = 0;
    const server = await serveHttps(identity, (request, response) => {
      arrived++;
      request.resume();
      response.writeHead(204).end();
    });
    const egress = await serveProxy(server.port);
    const proxy = egress.proxy({}, 'agent:planted-password@');
    const outbound = createOutbound({ allowLoopback: false, resolve, ca: identity.cert, proxy });
    const sender = await openSender({ outbound, gate });
    try {
      let row = await owed(sender);
      const troubles = async () => {
        await sender.webhooks.troubles.process();
        return (await sender.store.collection(Troubles).find({ where: {}, limit: 9 })).rows;
      };
      // Together more than open a breaker.
      egress.refuses = () => 407;
      for (let n = 0; n < 3; n++) row = await sender.attemptWhenDue(row);
      expect(await troubles()).toEqual([]);
      egress.refuses = () => 503;
      for (let n = 0; n < 4; n++) row = await sender.attemptWhenDue(row);
      expect(row).toMatchObject({ state: 'pending' });
      expect(row.attempts.map(({ error_message }) => error_message)).toEqual([
        ...Array.from({ length: 3 }, () => 'proxy refused our credentials'),
        ...Array.from({ length: 4 }, () => 'proxy failed'),
      ]);
      // It may be the receiver that is away: so the operator hears of it after an hour, with this cause.
      expect(await troubles()).toMatchObject([{ state: 'failing', cause: 'proxy failed' }]);
      expect(await sender.webhooks.operator.destination(row.destination)).toMatchObject({ consecutive_failures: 0 });

      egress.refuses = () => undefined;
      expect(await sender.attemptWhenDue(row)).toMatchObject({ state: 'delivered' });
      expect(await troubles()).toEqual([]);
      expect(arrived).toBe(1);
      expect(sender.logged.join('')).toContain('proxy failed');
      expect(sender.logged.join('') + JSON.stringify(row)).not.toMatch(/planted-password|YWdlbnQ6/);
    } finally {
      await outbound.close();
      await sender.close();
    }
  });

  it.each([
    ['proxy unreachable', 'unknown'],
    ['proxy refused our credentials', 'unknown'],
    ['proxy refused the destination', 'unknown'],
    ['proxy failed', 'unknown'],
    ['connection refused', 'failed'],
  ] as const)('%s says of the target: %s', (reason, outcome) => {
    const timings = { dns_ms: 0, connect_ms: 0, tls_ms: 0, first_byte_ms: 0, total_ms: 0 };
    expect(gateOutcome(classify({ kind: 'connection_error', reason, reused: false, timings }))).toBe(outcome);
    expect(gateOutcome(classify({ kind: 'timeout', phase: 'proxy', reused: false, timings }))).toBe('unknown');
    expect(gateOutcome(classify({ kind: 'timeout', phase: 'connect', reused: false, timings }))).toBe('failed');
  });
});

it('[S4.operator-addresses] what the operator is told goes to any address, and with the same limits', async () => {
  const receiver = await openReceiver((response) => {
    response.writeHead(302, { location: receiver.url('/elsewhere') }).end('x'.repeat(100_000));
  });
  const guarded = createOutbound({ allowLoopback: false });
  const operatorOutbound = createOutbound({ allowLoopback: false, trustsUrls: true });
  const sender = await openSender({ outbound: guarded, operatorOutbound });
  try {
    const event = { task_type: 'operational_event', subject_id: null, sequence: 1, event: 'destination_failing' };
    const target = { registration_id: 'operator', url: receiver.url(), mode: 'rfc9421' } as const;
    const given = { ...event, target, idempotency_key: 'k-1', body: '{}' };
    await sender.webhooks.send([
      { ...given, organization_id: OPERATOR, task_id: 'operational-1' },
      { ...given, organization_id: (await storedRun(sender, [])).organization_id, task_id: 'of-a-buyer' },
    ]);
    const told = await sender.attempt(await sender.deliveryOf('operational-1'));
    expect(told).toMatchObject({ state: 'rejected', attempts: [{ http_status_code: 302 }] });
    expect(receiver.received).toHaveLength(1);
    const refused = await sender.attempt(await sender.deliveryOf('of-a-buyer'));
    expect(refused.attempts[0]?.error_message).toMatch(/^address refused/);
    expect(receiver.received).toHaveLength(1);
  } finally {
    await Promise.all([guarded.close(), operatorOutbound.close(), receiver.close()]);
    await sender.close();
  }
});
