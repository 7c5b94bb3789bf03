import { AppError } from '../../platform/errors.ts';
import { toTimestamp } from '../../platform/clock.ts';
import { DAY_MS } from '../../platform/hours.ts';
import type { OrganizationId } from '../../platform/organization-id.ts';
import type { TaskId } from '../../platform/task-id.ts';
import { exampleBuy } from '../../tasks/create-media-buy/examples.ts';
import { mediaBuyIdOf } from '../../tasks/create-media-buy/new-media-buy.ts';
import { EXAMPLE_TASK_ID, EXAMPLE_TASK_TO_CANCEL_ID } from '../../tasks/example-ids.ts';
import type { Core } from '../wiring/compose.ts';

const FLIGHT_DAYS = 700;

/**
 * Makes the media buys that the card's examples name, once, as calls of the organization's own: whoever pastes them
 * finds buys that run. With a catalog that cannot serve them, there are none; nor at an ad server that would deliver them, for
 * two years and at somebody's cost.
 */
export async function makeExampleBuys(core: Core, organization_id: OrganizationId): Promise<void> {
  if (!core.sales.isSimulated) return;
  await makeExampleBuy(core, organization_id, EXAMPLE_TASK_ID, 'example-always-on');
  await makeExampleBuy(core, organization_id, EXAMPLE_TASK_TO_CANCEL_ID, 'example-to-cancel');
}

async function makeExampleBuy(
  { runtime, sales, catalog, clock, log }: Core,
  organization_id: OrganizationId,
  task_id: TaskId,
  buyer_ref: string,
): Promise<void> {
  if ((await sales.mediaBuys.get(mediaBuyIdOf(task_id))) !== undefined) return;
  const end_time = toTimestamp(clock.now() + FLIGHT_DAYS * DAY_MS);
  try {
    await runtime.submit({
      caller: { organization_id, principal_id: 'example', scopes: ['tasks:read', 'tasks:write'] },
      task_type: 'create_media_buy',
      task_id,
      message_key: buyer_ref,
      input: { ...exampleBuy(catalog, clock.now()), buyer_ref, end_time },
    });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    log.warn({ err: error }, 'the example media buy could not be made');
  }
}

/** A command that makes a media buy when pasted: the example of the task's card skill, in a JSON-RPC message. */
export function exampleCurl({ runtime, baseUrl, ids }: Core, api_key: string): string {
  const input = runtime.tasks.get('create_media_buy')?.examples[0]?.input;
  const message = {
    messageId: ids.newId(),
    role: 'ROLE_USER',
    parts: [
      { data: { skill: 'create_media_buy', input: { ...input, buyer_ref: `hello-${ids.newId().slice(0, 8)}` } } },
    ],
  };
  const request = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } };
  return `curl -s ${baseUrl}/a2a/jsonrpc \\
  -H 'Authorization: Bearer ${api_key}' -H 'Content-Type: application/json' -H 'A2A-Version: 1.0' \\
  -d '${JSON.stringify(request).replaceAll("'", "'\\''")}'`;
}
