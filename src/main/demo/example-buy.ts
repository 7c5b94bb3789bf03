import { AppError } from '../../platform/errors.ts';
import { toTimestamp } from '../../platform/clock.ts';
import { DAY_MS } from '../../platform/hours.ts';
import type { OrganizationId } from '../../platform/organization-id.ts';
import { EXAMPLE_MEDIA_BUY_ID, EXAMPLE_TASK_ID } from '../../tasks/example-ids.ts';
import type { Core } from '../wiring/compose.ts';

const BUYER_REF = 'example-always-on';
const FLIGHT_DAYS = 700;

/**
 * Makes the media buy that the card's examples name, once, as a call of the organization's own: whoever pastes them
 * finds a buy that runs. With a catalog that cannot serve it, there is none; nor at an ad server that would deliver it, for
 * two years and at somebody's cost.
 */
export async function makeExampleBuy(core: Core, organization_id: OrganizationId): Promise<void> {
  const { runtime, sales, clock, log } = core;
  if (!sales.isSimulated) return;
  if ((await sales.mediaBuys.get(EXAMPLE_MEDIA_BUY_ID)) !== undefined) return;
  const example = runtime.tasks.get('create_media_buy')?.examples.at(-1)?.input;
  const end_time = toTimestamp(clock.now() + FLIGHT_DAYS * DAY_MS);
  try {
    await runtime.submit({
      caller: { organization_id, principal_id: 'example', scopes: ['tasks:read', 'tasks:write'] },
      task_type: 'create_media_buy',
      task_id: EXAMPLE_TASK_ID,
      message_key: BUYER_REF,
      input: { ...example, buyer_ref: BUYER_REF, end_time },
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
