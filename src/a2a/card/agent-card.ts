import { AgentCard } from '@a2a-js/sdk';
import type { ProtocolNames } from '../../platform/protocol-name.ts';
import type { TaskDefinition } from '../../runtime/task-definition.ts';
import { API_KEY_HEADER } from '../authentication.ts';
import type { Binding, Wire } from '../call.ts';
import type { AgentIdentity } from './identity.ts';

export interface CardSource {
  identity: AgentIdentity;
  version: string;
  names: ProtocolNames;
  tasks: readonly TaskDefinition[];
  /** Without a slash at the end. */
  baseUrl: string;
}

/** Where each binding is served, below the base URL. */
export const BINDING_PATHS = { JSONRPC: '/a2a/jsonrpc' } as const satisfies Partial<Record<Binding, string>>;

const WIRES: readonly Wire[] = ['1.0', '0.3'];

/** The agent's card: what a person says of it, and one skill for each task. */
export function buildAgentCard({ identity, version, names, tasks, baseUrl }: CardSource): AgentCard {
  return AgentCard.fromJSON({
    name: identity.name,
    description: identity.description,
    version,
    provider: identity.provider,
    documentationUrl: identity.documentation_url,
    ...(identity.icon_url !== undefined && { iconUrl: identity.icon_url }),
    supportedInterfaces: WIRES.flatMap((protocolVersion) =>
      Object.entries(BINDING_PATHS).map(([protocolBinding, path]) => ({
        url: `${baseUrl}${path}`,
        protocolBinding,
        protocolVersion,
      })),
    ),
    capabilities: {
      streaming: false,
      pushNotifications: true,
      extendedAgentCard: false,
      extensions: [
        {
          uri: names.agentCardExtensionUri,
          description: 'The advertising protocol that the skills belong to.',
          params: {
            [names.versionField]: identity.protocol.version,
            protocols_supported: identity.protocol.protocols_supported,
          },
        },
      ],
    },
    defaultInputModes: MODES,
    defaultOutputModes: MODES,
    skills: tasks.map(({ name, title, description, tags, examples }) => ({
      id: name,
      name: title,
      description,
      tags,
      examples: examples.map(({ input }) => JSON.stringify({ skill: name, input })),
    })),
    securitySchemes: {
      bearer: {
        httpAuthSecurityScheme: { scheme: 'Bearer', description: 'An API key of the buyer, or an access token.' },
      },
      api_key: {
        apiKeySecurityScheme: { location: 'header', name: API_KEY_HEADER, description: 'An API key of the buyer.' },
      },
    },
    securityRequirements: [{ schemes: { bearer: { list: [] } } }, { schemes: { api_key: { list: [] } } }],
  });
}

const MODES = ['application/json', 'text/plain'];
