import { z } from 'zod';
import { PUBLIC_EXTENSION_URI } from '../../dialects/dialects.ts';
import { isObject } from '../../platform/json-object.ts';
import type { Asking, NoAnswer } from './ask.ts';
import { getJson } from './ask.ts';
import { MAX_TOOLS, shownText, ToolDescription, ToolName } from './tool.ts';
import type { Tool } from './tool.ts';

/** Of an agent card (A2A 1.0 or 0.3), what the registry uses. */
const Card = z.object({
  name: shownText(200),
  description: shownText(2000),
  skills: z.array(z.looseObject({ id: z.string(), description: z.unknown().optional() })).max(5000),
  url: z.string().optional().catch(undefined),
  preferredTransport: z.string().optional().catch(undefined),
  supportedInterfaces: z
    .array(z.looseObject({ url: z.string(), protocolBinding: z.string(), protocolVersion: z.string() }))
    .optional()
    .catch(undefined),
  securitySchemes: z.record(z.string(), z.unknown()).optional().catch(undefined),
  security: z.array(z.unknown()).optional().catch(undefined),
  securityRequirements: z.array(z.unknown()).optional().catch(undefined),
  capabilities: z
    .looseObject({
      extensions: z
        .array(z.looseObject({ uri: z.string(), params: z.record(z.string(), z.unknown()).optional() }))
        .optional(),
    })
    .optional()
    .catch(undefined),
});

/** An agent found by its card. */
export interface A2aAgent {
  kind: 'found';
  name: string;
  description: string;
  tools: Tool[];
  /** Where it takes JSON-RPC, in which generation, and whether by the extension of the public protocol; absent when the card names no such place. */
  rpc?: { url: string; wire: '1.0' | '0.3'; isPublicDialect?: boolean };
  /** Whether the card says that calls need a credential, and of which scheme. */
  requiresCredential: boolean;
  /** The schemes by which an HTTP challenge may ask for a credential that the card requires; in lower case. */
  challengeSchemes: ReadonlySet<string>;
  /** Parameters of the extensions it declares, by their URIs. */
  extensions: ReadonlyMap<string, Record<string, unknown>>;
}

/** Looks for a card under the agent's URL and then under its host, at the path of A2A 1.0 and then that of 0.3. */
export async function findCard(asking: Asking, agentUrl: string): Promise<A2aAgent | NoAnswer> {
  const { origin, pathname } = new URL(agentUrl);
  const bases = [...new Set([`${origin}${pathname.replace(/\/+$/, '')}`, origin])];
  let last: NoAnswer = { kind: 'unreachable', reason: 'no agent card' };
  for (const base of bases) {
    for (const path of ['/.well-known/agent-card.json', '/.well-known/agent.json']) {
      const answer = await getJson(asking, `${base}${path}`);
      if (answer.kind !== 'json') {
        if (answer.kind !== 'unreachable') return answer;
        last = answer;
        continue;
      }
      const card = Card.safeParse(answer.json);
      if (card.success && card.data.name !== '') return agentOf(card.data);
      last = { kind: 'unreachable', reason: 'the agent card is not valid' };
    }
  }
  return last;
}

function agentOf({ name, description, skills, capabilities, ...card }: z.infer<typeof Card>): A2aAgent {
  const place = rpcOf(card);
  const extensions = new Map((capabilities?.extensions ?? []).map(({ uri, params = {} }) => [uri, params]));
  const rpc = place && { ...place, isPublicDialect: extensions.has(PUBLIC_EXTENSION_URI) };
  return {
    kind: 'found',
    name,
    description,
    tools: skills
      .slice(0, MAX_TOOLS)
      .map((skill) => ({ name: ToolName.parse(skill.id), description: ToolDescription.parse(skill.description) })),
    ...(rpc && { rpc }),
    requiresCredential:
      Object.keys(card.securitySchemes ?? {}).length > 0 &&
      [...(card.security ?? []), ...(card.securityRequirements ?? [])].length > 0,
    challengeSchemes: challengeSchemesOf(card),
    extensions,
  };
}

type Security = Pick<z.infer<typeof Card>, 'securitySchemes' | 'security' | 'securityRequirements'>;

/** Of the schemes that the card not only declares but requires: A2A 1.0 names them under `schemes`, 0.3 at once. */
function challengeSchemesOf({ securitySchemes = {}, security = [], securityRequirements = [] }: Security): Set<string> {
  const required = [...security, ...securityRequirements]
    .slice(0, MOST_REQUIREMENTS)
    .filter(isObject)
    .flatMap((one) => Object.keys(isObject(one['schemes']) ? one['schemes'] : one));
  return new Set(
    required.flatMap((name) => (Object.hasOwn(securitySchemes, name) ? challengesOf(securitySchemes[name]) : [])),
  );
}

const MOST_REQUIREMENTS = 100;
/** RFC 6750 and RFC 9449. */
const OF_TOKENS = ['bearer', 'dpop'];

/** By RFC 9110 a challenge names a scheme of HTTP; a certificate of the client is asked for before there is any HTTP. */
function challengesOf(scheme: unknown): string[] {
  if (!isObject(scheme)) return [];
  const { type } = scheme;
  const kind = typeof type === 'string' ? type : Object.keys(scheme)[0];
  switch (kind) {
    case 'http':
    case 'httpAuthSecurityScheme': {
      const http = kind === 'http' ? scheme : scheme[kind];
      const named = isObject(http) ? http['scheme'] : undefined;
      return typeof named === 'string' ? [named.toLowerCase()] : [];
    }
    case 'oauth2':
    case 'oauth2SecurityScheme':
    case 'openIdConnect':
    case 'openIdConnectSecurityScheme':
      return OF_TOKENS;
    case 'apiKey':
    case 'apiKeySecurityScheme':
      return ['apikey'];
    default:
      return [];
  }
}

function rpcOf({
  url,
  preferredTransport,
  supportedInterfaces = [],
}: Pick<z.infer<typeof Card>, 'url' | 'preferredTransport' | 'supportedInterfaces'>): A2aAgent['rpc'] {
  const modern = supportedInterfaces.find((i) => i.protocolBinding === 'JSONRPC' && i.protocolVersion.startsWith('1.'));
  if (modern) return { url: modern.url, wire: '1.0' };
  return url !== undefined && (preferredTransport ?? 'JSONRPC') === 'JSONRPC' ? { url, wire: '0.3' } : undefined;
}
