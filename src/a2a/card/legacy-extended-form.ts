import { AgentCard } from '@a2a-js/sdk';
import type { JsonObject } from '../../platform/json-object.ts';
import type { Binding } from '../call.ts';
import { legacyCard } from './legacy-card.ts';

/**
 * The card for one caller as 0.3 writes it in JSON, like the public one. Over HTTP+JSON the official client for JavaScript reads the
 * security schemes of protobuf only, and gives up on one that it does not know: so there each is written in both ways.
 */
export function legacyExtendedForm(card: AgentCard, binding: Binding): JsonObject {
  const legacy = legacyCard(card);
  return binding === 'HTTP+JSON' ? { ...legacy, securitySchemes: inBothWays(card, legacy) } : legacy;
}

type Schemes = Record<string, JsonObject>;

function inBothWays(card: AgentCard, { securitySchemes = {} }: JsonObject): Schemes {
  const { securitySchemes: inProtobuf = {} } = AgentCard.toJSON(card) as { securitySchemes?: Schemes };
  const names = Object.entries(securitySchemes as Schemes);
  return Object.fromEntries(names.map(([name, scheme]) => [name, { ...inProtobuf[name], ...scheme }]));
}
