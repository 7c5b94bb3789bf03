import { PAGES } from '../../../../src/admin/console/pages.ts';
import { openAccount } from '../../../../src/sales/account/account.ts';
import { creativeKey } from '../../../../src/sales/creative/creative.ts';
import { mediaBuyInput, send, taskOf } from '../../../journeys/support/buyer.ts';
import { approvalOf, operate } from '../../../journeys/support/operator.ts';
import type { TestAgent } from '../../../journeys/support/test-agent.ts';
import { sampleCreative } from '../../../sales/support/sample-creative.ts';
import { organizationId } from '../../../support/ids.ts';
import { until } from '../../../support/until.ts';
import { named } from './named-pages.ts';
import { AGENT, plantRegistry, PUBLISHER } from './plant-registry.ts';

/** Of whose all is that pages show. */
const BUYER = organizationId('org_demo_buyer');

interface Planted {
  /** Of the media buy, and of the creative, whose text is whatever a stranger writes. */
  name: string;
  /** A receiver that refuses for good, at an agent that works and asks for approvals. */
  receiver: string;
  person_id: string;
}

/** Every page of the console's list, below `/admin`, with something on it. */
export async function everyPageOf(agent: TestAgent, { name, receiver, person_id }: Planted): Promise<string[]> {
  await plantRegistry(agent);
  const creative = sampleCreative({
    ...{ organization_id: BUYER, creative_id: 'banner', name, status: 'pending_review', review_due_at: null },
  });
  await agent.core.sales.creatives.insert({ ...creative, creative_key: creativeKey(BUYER, 'banner') });
  const push_notification_config = { url: receiver, operation_id: 'op-1' };
  const input = mediaBuyInput(agent, { push_notification_config, buyer_ref: name });
  const { approval_id, task_id, media_buy_id } = await approvalOf(
    agent,
    taskOf(await send(agent, 'create_media_buy', input)).id,
  );
  const delivery_id = await until(async () => {
    const { body } = await operate(agent, 'GET', `/webhooks/deliveries?task_id=${task_id}&state=rejected`);
    return (body['deliveries'] as { delivery_id: string }[])[0]?.delivery_id;
  });
  const range = { task_id, state: 'delivered' };
  const { range_id } = (await operate(agent, 'POST', '/webhooks/ranges/resend', range)).body;
  const key = { brand_domain: 'acme.example', brand_id: name, operator: 'agency.example', sandbox: true };
  const { account_id } = await openAccount(agent.core.sales, BUYER, key);
  const names = {
    ...{ approval_id, task_id, media_buy_id, delivery_id, organization_id: BUYER, creative_id: 'banner' },
    ...{ range_id: String(range_id), account_id },
    property_id: [...agent.core.catalog.properties.keys()][0] ?? 'none',
    product_id: [...agent.core.catalog.products.keys()][0] ?? 'none',
    ...{ destination: new URL(receiver).origin, person_id },
    ...{ publisher_domain: PUBLISHER, agent_id: AGENT.agent_id },
  };
  return PAGES.map(({ path }) => named(path, names));
}
