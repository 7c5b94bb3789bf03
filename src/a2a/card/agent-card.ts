import { AgentCard } from '@a2a-js/sdk';
import { SCOPES } from '../../directory/caller.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import type { ProtocolNames } from '../../platform/protocol-name.ts';
import type { TaskDefinition } from '../../runtime/task-definition.ts';
import { API_KEY_HEADER } from '../authentication.ts';
import type { Binding, Wire } from '../call.ts';
import { INPUT_MODES } from '../message-check.ts';
import type { CardIdentity } from './identity.ts';

/** Where tokens come from (rule R13). */
export interface OAuthEndpoints {
  authorizationUrl: string;
  tokenUrl: string;
  /** Authorization server metadata (RFC 8414). */
  metadataUrl: string;
}

export interface CardSource {
  identity: CardIdentity;
  version: string;
  names: ProtocolNames;
  tasks: readonly TaskDefinition[];
  /** Without a slash at the end. */
  baseUrl: string;
  /** `host:port` of the gRPC binding, when it is on. */
  grpcAddress?: string | undefined;
  oauth?: OAuthEndpoints | undefined;
  /** Default true: callers authenticate. */
  isAuthenticated?: boolean;
  /** What the protocol extension says besides, such as limits. */
  extensionParams?: JsonObject;
}

/** Where each binding over HTTP is served, below the base URL; the first is preferred. */
export const BINDING_PATHS = {
  JSONRPC: '/a2a/jsonrpc',
  'HTTP+JSON': '/a2a/rest',
} as const satisfies Partial<Record<Binding, string>>;

const WIRES: readonly Wire[] = ['1.0', '0.3'];

/** The agent's card: what a person says of it, and one skill for each task. */
export function buildAgentCard(source: CardSource): AgentCard {
  const { identity, version, tasks, isAuthenticated = true } = source;
  return AgentCard.fromJSON({
    name: identity.name,
    description: identity.description,
    version,
    provider: identity.provider,
    documentationUrl: identity.documentation_url,
    ...(identity.icon_url !== undefined && { iconUrl: identity.icon_url }),
    supportedInterfaces: WIRES.flatMap((wire) => interfacesOf(source, wire)),
    capabilities: {
      streaming: true,
      pushNotifications: true,
      extendedAgentCard: isAuthenticated,
      extensions: [protocolExtension(source)],
    },
    defaultInputModes: INPUT_MODES,
    defaultOutputModes: INPUT_MODES,
    skills: tasks.map(skillOf),
    ...(isAuthenticated && security(source.oauth)),
  });
}

function interfacesOf({ baseUrl, grpcAddress }: CardSource, protocolVersion: Wire) {
  const served = Object.entries(BINDING_PATHS).map(([protocolBinding, path]) => ({
    url: `${baseUrl}${path}`,
    protocolBinding,
    protocolVersion,
  }));
  const grpc = { url: grpcAddress, protocolBinding: 'GRPC', protocolVersion };
  return grpcAddress === undefined ? served : [...served, grpc];
}

function protocolExtension({ names, identity, extensionParams }: CardSource) {
  return {
    uri: names.agentCardExtensionUri,
    description: 'The advertising protocol that the skills belong to.',
    params: {
      [names.versionField]: identity.protocol.version,
      protocols_supported: identity.protocol.protocols_supported,
      ...extensionParams,
    },
  };
}

function skillOf({ name, title, description, tags, examples }: TaskDefinition) {
  return {
    id: name,
    name: title,
    description,
    tags,
    examples: examples.map(({ input }) => JSON.stringify({ skill: name, input })),
  };
}

function security(oauth: OAuthEndpoints | undefined) {
  const schemes = {
    bearer: {
      httpAuthSecurityScheme: { scheme: 'Bearer', description: 'An API key of the buyer, or an access token.' },
    },
    api_key: {
      apiKeySecurityScheme: { location: 'header', name: API_KEY_HEADER, description: 'An API key of the buyer.' },
    },
    ...(oauth && { oauth2: { oauth2SecurityScheme: oauthScheme(oauth) } }),
  };
  return {
    securitySchemes: schemes,
    securityRequirements: Object.keys(schemes).map((name) => ({ schemes: { [name]: { list: [] } } })),
  };
}

function oauthScheme({ authorizationUrl, tokenUrl, metadataUrl }: OAuthEndpoints) {
  const scopes = Object.fromEntries(
    SCOPES.filter((scope) => scope.startsWith('tasks:')).map((s) => [s, `Scope ${s}.`]),
  );
  return {
    description: 'An access token of a user; its audience is this agent.',
    oauth2MetadataUrl: metadataUrl,
    flows: { authorizationCode: { authorizationUrl, tokenUrl, scopes, pkceRequired: true } },
  };
}
