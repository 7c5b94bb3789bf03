import { AgentCard } from '@a2a-js/sdk';
import { ServerCallContext } from '@a2a-js/sdk/server';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import type { JsonObject } from '../platform/json-object.ts';
import type { A2aCall } from './call.ts';
import { legacyCard } from './card/legacy-card.ts';
import { failureBehind } from './jsonrpc-error.ts';

/**
 * The card for one caller as 0.3 writes it in JSON, like the public one. The SDK writes another over JSON-RPC, and over HTTP+JSON
 * the one of protobuf, which the official client for Python does not read. That for JavaScript reads no other there, and gives up
 * on a security scheme that it does not know: so there each scheme is written in both ways.
 * @throws what the request handler threw.
 */
export async function legacyExtendedCard(handler: A2ARequestHandler, call: A2aCall): Promise<JsonObject> {
  const context = new ServerCallContext({ user: call, requestedVersion: call.wire });
  try {
    const card = await handler.getAuthenticatedExtendedAgentCard({ tenant: '' }, context);
    const legacy = legacyCard(card);
    return call.binding === 'HTTP+JSON' ? { ...legacy, securitySchemes: schemesInBothWays(card, legacy) } : legacy;
  } catch (error) {
    throw failureBehind(call, error);
  }
}

type Schemes = Record<string, JsonObject>;

function schemesInBothWays(card: AgentCard, { securitySchemes = {} }: JsonObject): Schemes {
  const { securitySchemes: inProtobuf = {} } = AgentCard.toJSON(card) as { securitySchemes?: Schemes };
  const names = Object.entries(securitySchemes as Schemes);
  return Object.fromEntries(names.map(([name, scheme]) => [name, { ...inProtobuf[name], ...scheme }]));
}
