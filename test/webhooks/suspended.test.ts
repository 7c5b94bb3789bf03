import { afterEach, beforeEach, expect, it } from 'vitest';
import { organizations, newOrganization } from '../../src/directory/organization/organization.ts';
import {
  createSuspensions,
  restoreOrganization,
  suspendOrganization,
} from '../../src/directory/organization/suspension.ts';
import { admit, openGate } from '../../src/webhooks/delivery/admission.ts';
import { createPauses, PausedDestinations } from '../../src/webhooks/delivery/paused-destinations.ts';
import { installation } from '../directory/support/installation.ts';
import type { Installation } from '../directory/support/installation.ts';
import { organizationId } from '../support/ids.ts';
import { openReceiver, status } from './support/open-receiver.ts';
import { openSender, storedRun, withStatuses } from './support/open-sender.ts';
import { registration } from './support/registrations.ts';
import { describeOnStores } from '../support/stores.ts';

const [BUYER, OTHER] = [organizationId('org_buyer'), organizationId('org_other')];

describeOnStores('webhooks of a suspended organization, on %s', (store) => {
  let at: Installation;
  beforeEach(async () => {
    at = await installation([organizations, PausedDestinations], store);
    for (const organization_id of [BUYER, OTHER]) {
      const given = { organization_id, name: organization_id, state: 'active', created_at: '2026-04-01T00:00:00.000Z' };
      await at.store.collection(organizations).insert(newOrganization({ ...given, state: 'active' }));
    }
  });
  afterEach(() => at.close());

  it('[S5.suspend] go on, or wait when asked, in a process that did not hear of it; those of others always go on', async () => {
    const elsewhere = await at.another();
    const deps = {
      ...{ gate: openGate, clock: at.clock, random: () => 0 },
      pauses: createPauses({ rows: elsewhere.collection(PausedDestinations), clock: at.clock }),
      suspensions: createSuspensions({ store: elsewhere, clock: at.clock }),
    };
    const allowed = async () => {
      const target = { origin: 'https://buyer.example', path: '/hook' };
      const both = [BUYER, OTHER].map((organization_id) => admit(deps, { ...target, organization_id }, {}));
      return (await Promise.all(both)).map((admission) => admission.allowed || admission.reason);
    };
    expect(await allowed()).toEqual([true, true]);
    const said = { by: 'Ann', reason: 'unpaid' };
    await suspendOrganization(at, BUYER, { ...said, webhooks: 'go_on' });
    at.clock.advance(3_000);
    expect(await allowed()).toEqual([true, true]);
    await suspendOrganization(at, BUYER, { ...said, webhooks: 'stop' });
    at.clock.advance(3_000);
    expect(await allowed()).toEqual(['paused', true]);
    await restoreOrganization(at, BUYER);
    at.clock.advance(3_000);
    expect(await allowed()).toEqual([true, true]);
  });
});

it('[S5.suspend] [W7] stopped for five days: what was never tried goes then, what was tried is given up and sent anew with a key of its own', async () => {
  let isStopped = false;
  const areWebhooksStopped = () => Promise.resolve(isStopped);
  const sender = await openSender({ suspensions: { areWebhooksStopped } });
  const receiver = await openReceiver(status(500));
  const told = async () => {
    const run = withStatuses(await storedRun(sender, [registration(receiver.url())]), { state: 'working' });
    await sender.webhooks.notifier.notify(run);
    return sender.deliveryOf(run.task_id);
  };
  const tried = await sender.attempt(await told());
  const untried = await told();
  isStopped = true;
  receiver.answer = status(200);
  sender.clock.advance(5 * 86_400_000);
  for (const waiting of [tried, untried])
    expect(await sender.attempt(waiting)).toMatchObject({ state: 'pending', attempts: waiting.attempts });
  isStopped = false;
  sender.clock.advance(1_000); // so long a refusal of its target is known
  expect(await sender.attemptWhenDue(untried)).toMatchObject({ state: 'delivered' });
  expect(await sender.attemptWhenDue(tried)).toMatchObject({ state: 'exhausted', attempts: tried.attempts });
  const anew = await sender.webhooks.operator.resend(tried.delivery_id);
  expect(anew).toMatchObject({ is_new_event: true });
  expect(anew.idempotency_key).not.toBe(tried.idempotency_key);
  await receiver.close();
  await sender.close();
});
