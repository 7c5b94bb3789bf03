import { MissingCredential } from '../directory/credential/credential-refusal.ts';
import { AppError } from '../platform/errors.ts';
import { isObject } from '../platform/json-object.ts';
import type { McpMessage } from './message-body.ts';
import type { ToolSet } from './tool-set.ts';

/** What every client says before it calls anything, and asks of any server: the same is answered to all. */
const OF_ANYBODY: ReadonlySet<unknown> = new Set([
  ...['initialize', 'notifications/initialized', 'ping'],
  ...['server/discover', 'tools/list'],
]);

/**
 * The message of a request without a credential. All that needs one is refused for the want of it, whatever is wrong besides.
 * @throws {AppError} `UNAUTHORIZED`; `RATE_LIMITED`. Faults.
 */
export async function strangersMessage(
  read: () => Promise<McpMessage>,
  { discovery, needsCredential }: Pick<ToolSet, 'discovery' | 'needsCredential'>,
): Promise<McpMessage> {
  const message = await read().catch((error: unknown) => {
    throw error instanceof AppError && error.code !== 'RATE_LIMITED' ? new MissingCredential() : error;
  });
  const { method, params } = message.value;
  if (OF_ANYBODY.has(method)) return message;
  if (method !== 'tools/call' || !isObject(params)) throw new MissingCredential();
  const { name, arguments: input } = params;
  if (!discovery.has(String(name))) throw needsCredential(isObject(input) ? input : {});
  return message;
}
