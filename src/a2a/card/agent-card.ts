import { AgentCard } from '@a2a-js/sdk';
import { SCOPE_MEANINGS, SCOPES } from '../../directory/caller.ts';
import type { Scope } from '../../directory/caller.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import type { ProtocolNames } from '../../platform/protocol-name.ts';
import type { TaskDefinition } from '../../runtime/task-definition.ts';
import { PUBLIC_EXTENSION_URI } from '../../dialects/dialects.ts';
import { API_KEY_HEADER } from '../../directory/credential/authentication.ts';
import type { Binding, Wire } from '../call.ts';
import { AGENT_DOCS_PATH } from '../documents/skills-page.ts';
import { INPUT_MODES } from '../message-check.ts';
import type { CardIdentity } from './identity.ts';

/** Where tokens come from (rule R13). */
export interface OAuthEndpoints {
  authorizationUrl: string;
  tokenUrl: string;
  /** Authorization server metadata (RFC 8414). */
  metadataUrl: string;
}

/** A task that is called in the public protocol's words. */
export interface PublicSkill {
  skill: string;
  title: string;
  description: string;
  tags: readonly string[];
  examples: readonly JsonObject[];
  mutates: boolean;
}

export type CallingFacts = JsonObject & { message: string };

export interface CardSource {
  identity: CardIdentity;
  version: string;
  names: ProtocolNames;
  tasks: readonly TaskDefinition[];
  /** Tasks in the public protocol's words, of which those are skills of their own that none of `tasks` is called like. */
  publicSkills?: readonly PublicSkill[];
  /** Without a slash at the end. */
  baseUrl: string;
  /** `host:port` of the gRPC binding, when it is on. */
  grpcAddress?: string | undefined;
  oauth?: OAuthEndpoints | undefined;
  /** Default true: callers authenticate. */
  isAuthenticated?: boolean;
  /** How the skills are called, for the extension's `params`; its `message` is told first of all. */
  calling?: CallingFacts | undefined;
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
  const { identity, version, tasks, baseUrl, publicSkills = [], isAuthenticated = true } = source;
  const schemes = isAuthenticated ? schemesOf(source.oauth) : [];
  const own = publicSkills.filter(({ skill }) => tasks.every(({ name }) => name !== skill));
  return AgentCard.fromJSON({
    name: identity.name,
    description: identity.description,
    version,
    provider: identity.provider,
    documentationUrl: identity.documentation_url ?? `${baseUrl}${AGENT_DOCS_PATH}`,
    ...(identity.icon_url !== undefined && { iconUrl: identity.icon_url }),
    supportedInterfaces: WIRES.flatMap((wire) => interfacesOf(source, wire)),
    capabilities: {
      streaming: true,
      pushNotifications: true,
      extendedAgentCard: isAuthenticated,
      extensions: [protocolExtension(source), ...(publicSkills.length === 0 ? [] : [PUBLIC_EXTENSION])],
    },
    defaultInputModes: INPUT_MODES,
    defaultOutputModes: INPUT_MODES,
    skills: [...tasks.map((task) => skillOf(task, schemes)), ...own.map((one) => publicSkillOf(one, schemes))],
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

function protocolExtension({ names, identity, calling, extensionParams }: CardSource) {
  const called = calling === undefined ? '' : ` How they are called: ${calling.message}`;
  return {
    uri: names.agentCardExtensionUri,
    description: `The advertising protocol that the skills belong to.${called}`,
    params: {
      [names.versionField]: identity.protocol.version,
      protocols_supported: identity.protocol.protocols_supported,
      ...(calling && { calling }),
      ...extensionParams,
    },
  };
}

function skillOf(task: TaskDefinition, schemes: readonly string[]) {
  const { name, title, description, tags, examples, scope, takesText = false } = task;
  return {
    ...{ id: name, name },
    description: `${title}. ${description} Needs the scope ${scope}: ${SCOPE_MEANINGS[scope]}.`,
    tags,
    examples: examples.map(({ input }) => JSON.stringify({ skill: name, input })),
    inputModes: takesText ? INPUT_MODES : [JSON_MODE],
    outputModes: INPUT_MODES,
    securityRequirements: requirements(schemes, [scope]),
  };
}

/** Clients of the public protocol find its tasks by the name of the skill, some, and some by the id. */
function publicSkillOf(
  { skill, title, description, tags, examples, mutates }: PublicSkill,
  schemes: readonly string[],
) {
  return {
    ...{ id: skill, name: skill, tags },
    description: `${title}, in AdCP. ${description}`,
    examples: examples.map((parameters) => JSON.stringify({ skill, parameters })),
    inputModes: [JSON_MODE],
    outputModes: INPUT_MODES,
    securityRequirements: requirements(schemes, [mutates ? 'tasks:write' : 'tasks:read']),
  };
}

/** Says that the public protocol is spoken; nobody must know of it to call. */
const PUBLIC_EXTENSION = {
  uri: PUBLIC_EXTENSION_URI,
  description: 'AdCP: a data part {skill, parameters} whose parameters name the release of the protocol.',
  required: false,
};

const JSON_MODE = 'application/json';

/** Any one of the schemes will do; those that know scopes need these. */
function requirements(schemes: readonly string[], scopes: readonly Scope[]) {
  return schemes.map((name) => ({ schemes: { [name]: { list: name === 'oauth2' ? scopes : [] } } }));
}

function schemesOf(oauth: OAuthEndpoints | undefined): string[] {
  return ['bearer', 'api_key', ...(oauth ? ['oauth2'] : [])];
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
    securityRequirements: requirements(schemesOf(oauth), TASK_SCOPES),
  };
}

const TASK_SCOPES = SCOPES.filter((scope) => scope.startsWith('tasks:'));

function oauthScheme({ authorizationUrl, tokenUrl, metadataUrl }: OAuthEndpoints) {
  const scopes = Object.fromEntries(TASK_SCOPES.map((scope) => [scope, SCOPE_MEANINGS[scope]]));
  return {
    description: 'An access token of a user; its audience is this agent.',
    oauth2MetadataUrl: metadataUrl,
    flows: { authorizationCode: { authorizationUrl, tokenUrl, scopes, pkceRequired: true } },
  };
}
