import { AgentCard } from '@a2a-js/sdk';
import type { AgentSkill, SecurityRequirement, SecurityScheme } from '@a2a-js/sdk';
import type { JsonObject } from '../../platform/json-object.ts';

/** The card in the JSON of A2A 0.3, with its signatures where it has them: they are over this very form then. */
export function legacyCard(card: AgentCard): JsonObject {
  const interfaces = card.supportedInterfaces.filter(({ protocolVersion }) => protocolVersion === '0.3');
  const [preferred] = interfaces;
  if (preferred === undefined) throw new Error('the card has no interface of A2A 0.3');
  const { name, description, version, provider, documentationUrl, iconUrl, capabilities } = card;
  return {
    protocolVersion: preferred.protocolVersion,
    name,
    description,
    url: preferred.url,
    preferredTransport: preferred.protocolBinding,
    additionalInterfaces: interfaces.map(({ url, protocolBinding }) => ({ url, transport: protocolBinding })),
    version,
    ...(provider && { provider }),
    ...(documentationUrl !== undefined && { documentationUrl }),
    ...(iconUrl !== undefined && { iconUrl }),
    capabilities: {
      streaming: capabilities?.streaming ?? false,
      pushNotifications: capabilities?.pushNotifications ?? false,
      stateTransitionHistory: false,
      extensions: capabilities?.extensions.map(({ uri, description, params }) => ({ uri, description, params })) ?? [],
    },
    supportsAuthenticatedExtendedCard: capabilities?.extendedAgentCard ?? false,
    defaultInputModes: card.defaultInputModes,
    defaultOutputModes: card.defaultOutputModes,
    skills: card.skills.map(legacySkill),
    ...(card.securityRequirements.length > 0 && {
      securitySchemes: legacySchemes(card),
      security: legacySecurity(card.securityRequirements),
    }),
    ...(card.signatures.length > 0 && {
      signatures: card.signatures.map(({ protected: header, signature }) => ({ protected: header, signature })),
    }),
  };
}

type WrittenCard = JsonObject & { securitySchemes?: Record<string, JsonObject>; skills?: JsonObject[] };

/**
 * One document for clients of both generations that do not say which they are: every field of 1.0 and, beside them, those
 * that 0.3 names or writes differently.
 */
export function cardForBoth(card: AgentCard): JsonObject {
  const modern = AgentCard.toJSON(card) as WrittenCard;
  const legacy = legacyCard(card) as WrittenCard;
  const schemes = Object.entries(modern.securitySchemes ?? {}).map(([name, scheme]) => [
    name,
    { ...legacy.securitySchemes?.[name], ...scheme },
  ]);
  return {
    ...legacy,
    ...modern,
    capabilities: { ...(legacy['capabilities'] as JsonObject), ...(modern['capabilities'] as JsonObject) },
    skills: (modern.skills ?? []).map((skill, i) => ({ ...legacy.skills?.[i], ...skill })),
    ...(schemes.length > 0 && { securitySchemes: Object.fromEntries(schemes) as JsonObject }),
  };
}

function legacySkill(skill: AgentSkill): JsonObject {
  const { id, name, description, tags, examples, inputModes, outputModes, securityRequirements } = skill;
  return {
    ...{ id, name, description, tags },
    ...(examples.length > 0 && { examples }),
    ...{ inputModes, outputModes },
    ...(securityRequirements.length > 0 && { security: legacySecurity(securityRequirements) }),
  };
}

function legacySecurity(requirements: readonly SecurityRequirement[]): JsonObject[] {
  return requirements.map(({ schemes }) =>
    Object.fromEntries(Object.entries(schemes).map(([scheme, { list }]) => [scheme, list])),
  );
}

function legacySchemes(card: AgentCard): JsonObject {
  return Object.fromEntries(Object.entries(card.securitySchemes).map(([name, scheme]) => [name, legacyScheme(scheme)]));
}

function legacyScheme({ scheme }: SecurityScheme): JsonObject {
  switch (scheme?.$case) {
    case 'httpAuthSecurityScheme': {
      const { scheme: http, description } = scheme.value;
      return { type: 'http', scheme: http.toLowerCase(), description };
    }
    case 'apiKeySecurityScheme': {
      const { location, name, description } = scheme.value;
      return { type: 'apiKey', in: location, name, description };
    }
    case 'oauth2SecurityScheme': {
      const { flows, description, oauth2MetadataUrl } = scheme.value;
      if (flows?.flow?.$case !== 'authorizationCode') throw new Error('the agent offers the authorization code flow');
      const { authorizationUrl, tokenUrl, scopes } = flows.flow.value;
      return {
        type: 'oauth2',
        flows: { authorizationCode: { authorizationUrl, tokenUrl, scopes } },
        oauth2MetadataUrl,
        description,
      };
    }
    default:
      throw new Error(`no form of ${scheme?.$case ?? 'nothing'} is known for A2A 0.3`);
  }
}
