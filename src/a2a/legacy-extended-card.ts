import { ServerCallContext } from '@a2a-js/sdk/server';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import type { JsonObject } from '../platform/json-object.ts';
import type { A2aCall } from './call.ts';
import { legacyCard } from './card/legacy-card.ts';
import { failureBehind } from './jsonrpc-error.ts';

/**
 * The card for one caller as 0.3 writes it in JSON. The SDK writes another over JSON-RPC than the public one, and over HTTP+JSON
 * one that protobuf would read and no client of 0.3 does.
 * @throws what the request handler threw.
 */
export async function legacyExtendedCard(handler: A2ARequestHandler, call: A2aCall): Promise<JsonObject> {
  const context = new ServerCallContext({ user: call, requestedVersion: call.wire });
  try {
    return legacyCard(await handler.getAuthenticatedExtendedAgentCard({ tenant: '' }, context));
  } catch (error) {
    throw failureBehind(call, error);
  }
}
