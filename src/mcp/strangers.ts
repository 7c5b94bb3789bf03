import { withoutCredential } from '../directory/credential/authentication.ts';
import { AppError } from '../platform/errors.ts';
import { isObject } from '../platform/json-object.ts';
import type { McpMessage } from './message-body.ts';

/** What every client says before it calls anything, and asks of any server: the same is answered to all. */
const OF_ANYBODY: ReadonlySet<unknown> = new Set([
  ...['initialize', 'notifications/initialized', 'ping'],
  ...['server/discover', 'tools/list'],
]);

/**
 * The message of a request without a credential. All that needs one is refused for the want of it, whatever is wrong besides.
 * @param discovery the tools that anybody may call.
 * @throws {AppError} `UNAUTHORIZED`; `RATE_LIMITED`. Faults.
 */
export async function strangersMessage(
  read: () => Promise<McpMessage>,
  discovery: ReadonlySet<string>,
): Promise<McpMessage> {
  const message = await read().catch((error: unknown) => {
    throw error instanceof AppError && error.code !== 'RATE_LIMITED' ? withoutCredential() : error;
  });
  const { method, params } = message.value;
  const isDiscovery = method === 'tools/call' && isObject(params) && discovery.has(String(params['name']));
  if (!isDiscovery && !OF_ANYBODY.has(method)) throw withoutCredential();
  return message;
}
