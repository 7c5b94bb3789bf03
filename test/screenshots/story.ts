import { randomUUID } from 'node:crypto';
import { addOrganization } from '../../src/directory/organization/add-organization.ts';
import { addPerson } from '../../src/directory/operator/person.ts';
import { campaign, Offers } from '../../src/main/demo/campaign.ts';
import { toTimestamp } from '../../src/platform/clock.ts';
import { StatSpans } from '../../src/platform/stats/stat-span.ts';
import { openAccount } from '../../src/sales/account/account.ts';
import { creativeKey } from '../../src/sales/creative/creative.ts';
import type { PageNames } from '../admin/console/support/named-pages.ts';
import { plantRegistry, AGENT, PUBLISHER } from '../admin/console/support/plant-registry.ts';
import { ask, send, taskOf } from '../journeys/support/buyer.ts';
import { actingAs, approvalOf, operate } from '../journeys/support/operator.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { sampleCreative } from '../sales/support/sample-creative.ts';
import { organizationId } from '../support/ids.ts';
import { until } from '../support/until.ts';
import { openReceiver, status } from '../webhooks/support/open-receiver.ts';

/** Within so long, and how often: an operator has so many requests a minute. In milliseconds. */
const SELDOM = [240_000, 500] as const;

/** A seller's ordinary day: buys that run, one that waits for a person, a receiver that refuses, a creative to look at, people and keys. */
export async function tellStory(agent: TestAgent): Promise<{ names: PageNames; stop: () => Promise<void> }> {
  const good = await openReceiver();
  const refusing = await openReceiver(status(500));
  const offers = Offers.parse(
    await ask(agent, 'get_products', { brief: 'CTV and display for outdoor brands in the US' }),
  );
  const buy = async (buyer_ref: string, url: string, more: object = {}) => {
    const push_notification_config = { url, operation_id: buyer_ref };
    const input = { ...campaign(offers, Date.now()), buyer_ref, push_notification_config, ...more };
    return taskOf(await send(agent, 'create_media_buy', input)).id;
  };
  const decide = async (task: string, verdict: string, body: object = {}) => {
    const { approval_id } = await approvalOf(agent, task);
    await operate(
      agent,
      'POST',
      `/approvals/${approval_id}/${verdict}`,
      body,
      await actingAs(agent, 'Ann Berger', 'admin'),
    );
  };
  // With creatives, without which nothing is delivered.
  const packages = agent.core.runtime.tasks.get('create_media_buy')?.examples[1]?.input['packages'];
  const running = await buy('northfell-trail-launch', good.url('/northfell'), { packages });
  await decide(running, 'approve', { note: 'Goes with the spring plan.' });
  await decide(await buy('harbour-coffee-winter', refusing.url('/harbour')), 'approve');
  await decide(await buy('alto-bikes-teaser', good.url('/alto')), 'reject', {
    reason: 'The flight overlaps with the fair.',
  });
  await approvalOf(agent, await buy('kestrel-outdoor-summer', good.url('/kestrel')));
  const waiting = await approvalOf(agent, await buy('northfell-second-wave', good.url('/northfell')));
  await buy('quarry-tools-sim-reject', good.url('/quarry'));

  const creatives = await reviewed(agent);
  await addOrganization(agent.core, 'harbour', 'Harbour Coffee Roasters');
  await addPerson(agent.core, { name: 'Ben Castillo', role: 'viewer', by: 'Ann Berger', click: randomUUID() });
  await plantRegistry(agent);
  await countedHour(agent);
  const failing = await until(
    async () => {
      const { body } = await operate(agent, 'GET', '/webhooks/deliveries?state=pending');
      return (body['deliveries'] as { delivery_id: string; url: string; attempts: object[] }[]).find(
        ({ url, attempts }) => url.startsWith(refusing.url('/')) && attempts.length > 0,
      );
    },
    ...SELDOM,
  );
  const { media_buy_id } = await until(
    async () => {
      const { body } = await operate(agent, 'GET', '/media-buys?status=active');
      const row = (body['media_buys'] as { media_buy_id: string; buyer_ref: string }[]).find(
        (one) => one.buyer_ref === 'northfell-trail-launch',
      );
      if (row === undefined) return undefined;
      const one = await operate(agent, 'GET', `/media-buys/${row.media_buy_id}`);
      const days = (one.body['days'] ?? []) as object[];
      return days.length > 12 ? row : undefined;
    },
    ...SELDOM,
  );
  const range = await operate(agent, 'POST', '/webhooks/ranges/resend', { state: 'delivered', task_id: running });
  const key = { brand_domain: 'northfell.example', brand_id: null, operator: 'northfell.example', sandbox: false };
  const { account_id } = await openAccount(agent.core.sales, organizationId('org_demo_buyer'), key);
  const { body } = await operate(agent, 'GET', '/people');
  const [{ person_id }] = body['people'] as [{ person_id: string }];
  return {
    names: {
      ...{ approval_id: waiting.approval_id, media_buy_id, task_id: running, delivery_id: failing.delivery_id },
      ...{
        organization_id: 'org_demo_buyer',
        creative_id: creatives,
        property_id: [...agent.core.catalog.properties.keys()][0] ?? '',
        product_id: offers.products[0]?.product_id ?? '',
      },
      ...{ destination: new URL(refusing.url()).origin, person_id },
      ...{ range_id: String(range.body['range_id']), account_id },
      ...{ publisher_domain: PUBLISHER, agent_id: AGENT.agent_id },
    },
    async stop() {
      await good.close();
      await refusing.close();
    },
  };
}

/** Creatives that wait for a person; answers the id of one. */
async function reviewed({ core }: TestAgent): Promise<string> {
  const organization_id = organizationId('org_demo_buyer');
  const names = { 'trail-300x250': 'Trail shoes, medium rectangle', 'trail-970x250': 'Trail shoes, billboard' };
  for (const [creative_id, name] of Object.entries(names)) {
    const row = sampleCreative({ organization_id, creative_id, name, status: 'pending_review', review_due_at: null });
    await core.sales.creatives.insert({ ...row, creative_key: creativeKey(organization_id, creative_id) });
  }
  return 'trail-300x250';
}

/** What the overview's charts are drawn from: an hour with its ups and downs. */
async function countedHour({ core }: TestAgent): Promise<void> {
  for (let ago = 59; ago > 0; ago -= 1) {
    const atMs = Math.floor(Date.now() / 60_000) * 60_000 - ago * 60_000;
    const busy = Math.round(14 + 9 * Math.sin(ago / 7) + (ago % 5));
    await core.store.collection(StatSpans).insert({
      ...{
        stat_id: `minute ${ago}`,
        span: 'minute',
        at: toTimestamp(atMs),
        revision: 1,
        queued: Math.max(0, busy - 20),
      },
      counts: {
        ...{ 'tasks completed': busy, 'tasks failed': ago % 17 === 0 ? 2 : 0 },
        ...{ 'deliveries delivered': 3 * busy, 'deliveries gone': ago % 11 === 0 ? 4 : 0 },
      },
      times: { tasks: times(busy), deliveries: times(3 * busy) },
      expires_at: toTimestamp(Date.now() + 3_600_000),
    });
  }
}

function times(count: number): number[] {
  return [count - Math.floor(count / 9), Math.floor(count / 9)];
}
