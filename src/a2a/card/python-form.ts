import { AgentCard } from '@a2a-js/sdk';
import { canonicalJson } from '../../platform/crypto/canonical-json.ts';
import { isObject } from '../../platform/json-object.ts';
import type { JsonObject } from '../../platform/json-object.ts';

/**
 * The text that the verifier of a2a-sdk for Python (1.3.0) checks a signature against: what it reads of the document
 * as a card of 1.0, without its signatures and without anything empty, in the order of RFC 8785. It drops the
 * requirements of schemes without scopes so, which the strict form of A2A 1.0 section 8.4 keeps.
 */
export function pythonForm(document: JsonObject): string {
  const { signatures: _signatures, ...card } = document;
  const read = AgentCard.toJSON(AgentCard.fromJSON(asModern(card)));
  return canonicalJson(withoutEmpty(read) ?? null);
}

/** What it makes of the fields of 0.3, which a document may have alone or beside those of 1.0. */
function asModern(card: JsonObject): JsonObject {
  const {
    supportsAuthenticatedExtendedCard,
    url,
    preferredTransport = 'JSONRPC',
    additionalInterfaces,
    ...rest
  } = card;
  const { protocolVersion = '0.3.0', security, skills, securitySchemes, ...kept } = rest;
  const own = { url, protocolBinding: preferredTransport, protocolVersion };
  const others = members(additionalInterfaces).map((one) => ({
    url: one['url'],
    protocolBinding: one['transport'],
    protocolVersion,
  }));
  const capabilities = isObject(card['capabilities']) ? card['capabilities'] : {};
  return {
    ...(url !== undefined && { supportedInterfaces: [own, ...others] }),
    ...withRequirements({ security, ...kept }),
    capabilities: { ...(supportsAuthenticatedExtendedCard === true && { extendedAgentCard: true }), ...capabilities },
    skills: members(skills).map(withRequirements),
    ...(isObject(securitySchemes) && {
      securitySchemes: Object.fromEntries(
        Object.entries(securitySchemes).map(([name, scheme]) => [
          name,
          isObject(scheme) ? modernScheme(scheme) : scheme,
        ]),
      ),
    }),
  };
}

function withRequirements({ security, ...rest }: JsonObject): JsonObject {
  if (!Array.isArray(security)) return rest;
  const securityRequirements = members(security).map((requirement) => ({
    schemes: Object.fromEntries(Object.entries(requirement).map(([name, list]) => [name, { list }])),
  }));
  return { securityRequirements, ...rest };
}

const SCHEMES: Readonly<Record<string, string>> = {
  apiKey: 'apiKeySecurityScheme',
  http: 'httpAuthSecurityScheme',
  oauth2: 'oauth2SecurityScheme',
  openIdConnect: 'openIdConnectSecurityScheme',
  mutualTLS: 'mtlsSecurityScheme',
};

function modernScheme({ type, ...scheme }: JsonObject): JsonObject {
  const name = SCHEMES[String(type)];
  if (name === undefined) return scheme;
  const { in: location, ...rest } = scheme;
  return { [name]: type === 'apiKey' && location !== undefined ? { ...rest, location } : scheme };
}

function members(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The value without empty texts, lists and objects in it, from the inside out; undefined where nothing is left. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(withoutEmpty).filter((item) => item !== undefined);
    return items.length === 0 ? undefined : items;
  }
  if (isObject(value)) {
    const entries = Object.entries(value).map(([name, member]) => [name, withoutEmpty(member)] as const);
    const left = entries.filter(([, member]) => member !== undefined);
    return left.length === 0 ? undefined : Object.fromEntries(left);
  }
  return value === '' || value === null ? undefined : value;
}
