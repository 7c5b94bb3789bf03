import { ServerCallContext } from '@a2a-js/sdk/server';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import type { JsonObject } from '../platform/json-object.ts';
import type { A2aCall } from './call.ts';
import { legacyExtendedForm } from './card/legacy-extended-form.ts';
import { failureBehind } from './jsonrpc-error.ts';

/**
 * See {@link legacyExtendedForm}. The SDK writes another over JSON-RPC, and over HTTP+JSON the one of protobuf, which the official client
 * for Python does not read.
 * @throws what the request handler threw.
 */
export async function legacyExtendedCard(handler: A2ARequestHandler, call: A2aCall): Promise<JsonObject> {
  const context = new ServerCallContext({ user: call, requestedVersion: call.wire });
  try {
    const card = await handler.getAuthenticatedExtendedAgentCard({ tenant: '' }, context);
    return legacyExtendedForm(card, call.binding);
  } catch (error) {
    throw failureBehind(call, error);
  }
}
