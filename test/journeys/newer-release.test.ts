import { afterEach, expect, it } from 'vitest';
import { MediaBuys } from '../../src/sales/media-buy/media-buys.ts';
import { withKeysOfANewerRelease } from '../support/grown-rows.ts';
import { until } from '../support/until.ts';
import { openReceiver } from '../webhooks/support/open-receiver.ts';
import { ask, eventsOf, mediaBuyInput, send, taskOf } from './support/buyer.ts';
import type { Json } from './support/buyer.ts';
import { operate } from './support/operator.ts';
import { startTestAgent } from './support/test-agent.ts';
import { describeOnStores } from '../support/stores.ts';

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

const BANNER = {
  name: 'Banner',
  assets: { image: { url: 'https://cdn.acme.example/trail.png', width: 300, height: 250 } },
};

describeOnStores('on %s, rows that hold keys of a newer release', (store) => {
  it('[S6] are worked on and told of as ever: the keys stay in the rows, and nobody is shown or told of them', async () => {
    const receiver = await openReceiver();
    cleanUp.push(() => receiver.close());
    const agent = await startTestAgent(store, {
      env: { CREATIVE_REVIEW_SECONDS: '0', APPROVAL_OVER_USD: '20000' },
      wrapStore: withKeysOfANewerRelease,
    });
    cleanUp.push(() => agent.stop());
    const seen: unknown[] = [];
    const asking = async (skill: string, input: Json): Promise<Json> => {
      const answer = await ask(agent, skill, input);
      seen.push(answer);
      return answer;
    };
    const push_notification_config = { url: receiver.url(), operation_id: 'op', token: 'an opaque token' };
    const told = async (id: string) => {
      await until(() => eventsOf(receiver.received, id).some(({ body }) => body['status'] === 'completed'));
      return eventsOf(receiver.received, id).map(({ body, copies }) => [body['status'], copies]);
    };

    // A buy that a person approves, with reports.
    const line = { product_id: 'gazette_run_of_site', pricing_option_id: 'ros_fixed_usd', budget: 15_000 };
    const made = taskOf(
      await send(
        agent,
        'create_media_buy',
        mediaBuyInput(agent, {
          packages: [line, line],
          push_notification_config,
          reporting_webhook: { url: receiver.url('/reports'), reporting_frequency: 'hourly' },
        }),
      ),
    );
    const open = await until(async () => {
      const { body } = await operate(agent, 'GET', '/approvals');
      return (body['approvals'] as { approval_id: string; media_buy_id: string }[])[0];
    });
    seen.push((await operate(agent, 'POST', `/approvals/${open.approval_id}/approve`, {})).body);
    expect(await told(made.id)).toEqual([
      ['working', 1],
      ['working', 1],
      ['completed', 1],
    ]);
    const { media_buy_id } = open;

    // Creatives for it, and a change of it.
    const format_id = { agent_url: agent.baseUrl, id: 'display_300x250' };
    const creatives = ['a', 'b'].map((creative_id) => ({ ...BANNER, creative_id, format_id }));
    const stored = await agent.core.store.collection(MediaBuys).get(media_buy_id);
    const packages = stored?.packages.map(({ package_id }) => package_id) ?? [];
    const assignments = { a: packages, b: packages };
    const synced = taskOf(await send(agent, 'sync_creatives', { creatives, assignments, push_notification_config }));
    await told(synced.id);
    expect(await asking('sync_creatives', { creatives })).toMatchObject({
      creatives: [{ action: 'unchanged' }, { action: 'unchanged' }],
    });
    const updates = { packages: [{ package_id: packages[0], paused: true }] };
    await asking('update_media_buy', { media_buy_id, updates });

    // All that reads.
    expect(
      await asking('get_media_buys', { media_buy_ids: [media_buy_id], include_webhook_activity: true }),
    ).toMatchObject({ media_buys: [{ media_buy_id, packages: [{ paused: true }, { paused: false }] }] });
    await asking('get_media_buy_delivery', { media_buy_ids: [media_buy_id] });
    await asking('list_creatives', {});
    await asking('list_tasks', {});
    await asking('get_task_status', { task_id: made.id });
    for (const path of [`/webhooks/deliveries?task_id=${made.id}`, `/webhooks/registrations?task_id=${made.id}`]) {
      seen.push((await operate(agent, 'GET', path)).body);
    }
    for (const path of [
      '/creatives?status=approved',
      '/approvals?status=approved',
      '/keys',
      '/webhooks/destinations',
    ]) {
      seen.push((await operate(agent, 'GET', path)).body);
    }
    seen.push(...receiver.received.map(({ body }) => body));
    expect(placesOf(seen, 'of_a_newer_release')).toEqual([]);

    const kept = await agent.core.store.collection(MediaBuys).get(media_buy_id);
    expect(JSON.stringify(kept?.packages)).toContain('of_a_newer_release');
  });
});

/** Where a key stands in JSON, as paths. */
function placesOf(value: unknown, key: string, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === key ? [`${path}.${name}`] : placesOf(inner, key, `${path}.${name}`),
  );
}
