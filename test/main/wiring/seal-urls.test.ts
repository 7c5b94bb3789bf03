import { afterEach, beforeEach, expect, it } from 'vitest';
import { COLLECTIONS } from '../../../src/main/wiring/collections.ts';
import { sealStoreAnew } from '../../../src/main/wiring/seal-anew.ts';
import { sealedUrls } from '../../../src/main/wiring/seal-urls.ts';
import { registeredUrl } from '../../../src/platform/crypto/sealed-url.ts';
import { sealer } from '../../../src/platform/crypto/sealer.ts';
import { TaskRuns } from '../../../src/runtime/task-run.ts';
import { deliveryOf } from '../../../src/webhooks/delivery/create-delivery.ts';
import { Deliveries } from '../../../src/webhooks/delivery/delivery.ts';
import { sealedFor } from '../../../src/webhooks/registration/webhook-target.ts';
import { installation } from '../../directory/support/installation.ts';
import type { Installation } from '../../directory/support/installation.ts';
import { organizationId } from '../../support/ids.ts';
import { describeOnStores } from '../../support/stores.ts';
import { finishedRun } from '../../webhooks/support/finished-run.ts';

const [FORMER, NEXT] = [
  'the former secret, of enough characters for it',
  'the next secret, of enough characters for it',
];
const URL = 'https://buyer.example/hooks/7?key=planted-in-a-query';
const BOXES = { former: sealer(FORMER), next: sealer(NEXT), both: sealer(NEXT, [FORMER]) };

describeOnStores('webhooks of 0.1.0, on %s', (store) => {
  let at: Installation;
  beforeEach(async () => {
    at = await installation(COLLECTIONS, store);
  });
  afterEach(() => at.close());

  it('[W11.sealed] [S4] have their queries sealed with what is sealed anew, and are sent as before', async () => {
    const [runs, deliveries] = [at.store.collection(TaskRuns), at.store.collection(Deliveries)];
    const run = finishedRun(URL, at.clock.now());
    const [registration] = run.registrations;
    if (registration === undefined) throw new Error('a run without a registration');
    const token = BOXES.former.seal('token', sealedFor(URL));
    const wire = {
      parts: [{ data: { skill: 'create_media_buy', input: { push_notification_config: { url: URL } } } }],
    };
    await runs.insert({
      ...run,
      registrations: [{ ...registration, sealed_token: token }],
      messages: [{ message_id: 'm-1', wire }],
      input: { reporting_webhook: { url: URL }, brand_manifest: { url: 'https://brand.example/?page=1' } },
    });
    const event = { task_id: run.task_id, task_type: run.task_type, subject_id: null, sequence: 2, event: 'working' };
    const row = deliveryOf(
      { clock: at.clock, sealer: BOXES.former },
      {
        ...{ ...event, organization_id: organizationId('buyer'), idempotency_key: 'k', body: '{}', isBodySecret: true },
        target: { registration_id: 'r1', url: URL, mode: 'rfc9421' },
      },
    );
    await deliveries.insert(row);

    expect(await sealStoreAnew(at.store, BOXES.both)).toEqual({ rows: 2, stuck: 0, unread: 0 });
    expect(await sealStoreAnew(at.store, BOXES.both)).toEqual({ rows: 0, stuck: 0, unread: 0 });
    const [sealedRun, sealedRow] = [await runs.get(run.task_id), await deliveries.get(row.delivery_id)];
    expect(JSON.stringify([sealedRun, sealedRow])).not.toContain('planted-in-a-query');
    const url = registeredUrl(BOXES.next, sealedRun?.registrations[0]?.url ?? '');
    expect([url, registeredUrl(BOXES.next, sealedRow?.url ?? '')]).toEqual([URL, URL]);
    expect(BOXES.next.open(sealedRun?.registrations[0]?.sealed_token ?? '', sealedFor(url))).toBe('token');
    expect(BOXES.next.open(sealedRow?.body ?? '', sealedFor(url))).toBe('{}');
    expect(sealedRun?.input['brand_manifest']).toEqual({ url: 'https://brand.example/?page=1' });
    expect(sealedRow).toMatchObject({ destination: row.destination, target: row.target });
  });
});

it('[W11.sealed] of media buys too, wherever they stand; what nobody registered stays as it was sent', () => {
  const registration = { registration_id: 'reporting_webhook', url: URL };
  const channel = { registration, context: { registration: { url: URL } } };
  const row = { revision: 1, push: null, reporting: channel, unsent: [{ news: { registration } }] };
  const sealed = sealedUrls(BOXES.next, 'buy_schedules', row);
  expect(registeredUrl(BOXES.next, sealed.reporting.registration.url)).toBe(URL);
  expect(sealed.unsent[0]?.news.registration.url).not.toContain('planted');
  expect(sealed.reporting.context).toEqual(channel.context);
  expect(sealedUrls(BOXES.next, 'buy_schedules', sealed)).toBe(sealed);
});
