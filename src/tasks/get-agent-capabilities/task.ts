import { z } from 'zod';
import { inlineTask } from '../../runtime/task-definition.ts';
import type { TaskDefinition } from '../../runtime/task-definition.ts';
import { GRANULARITIES } from '../../sales/delivery/granularity.ts';
import { METRICS } from '../../sales/delivery/metrics.ts';
import { CallingGuide } from '../calling-schema.ts';
import type { TaskDependencies } from '../dependencies.ts';
import { readFields } from '../mutation-fields.ts';

/** The request of `get_agent_capabilities`. */
export const GetAgentCapabilitiesRequest = z.strictObject({ ...readFields });
export type GetAgentCapabilitiesRequest = z.infer<typeof GetAgentCapabilitiesRequest>;

/** The response of `get_agent_capabilities` (rules C.events.6, C.events.7). */
export const GetAgentCapabilitiesResponse = z.object({
  protocol: z.object({ name: z.string(), version: z.string() }),
  supported_protocols: z.array(z.string()),
  publisher: z.object({ name: z.string() }),
  tasks: z.array(z.string()),
  /** The same as in the card's extension. */
  calling: CallingGuide,
  reporting_capabilities: z.object({
    windowed_pull_granularities: z.array(z.enum(GRANULARITIES)),
    available_metrics: z.array(z.enum(METRICS)),
    /** How often a `reporting_webhook` can be served. */
    available_reporting_frequencies: z.array(z.enum(GRANULARITIES)),
    timezone: z.string(),
  }),
  /** How long state-shaped events may wait to be told together, in seconds. */
  coalescence_windows: z.object({
    impairment_general_seconds: z.int().max(300),
    impairment_latency_sensitive_seconds: z.int().max(59),
  }),
  features: z.object({
    idempotency: z.object({ supported: z.boolean(), replay_ttl_seconds: z.int() }),
    webhooks: z.object({ signature: z.string(), legacy_schemes: z.array(z.string()) }),
    approval_by_people: z.boolean(),
    dry_run: z.boolean(),
  }),
});
export type GetAgentCapabilitiesResponse = z.infer<typeof GetAgentCapabilitiesResponse>;

/** The release of the protocol that the agent speaks. */
const PROTOCOL_VERSION = '3.1';

/** Tells what this agent can do, for programs (rule C.events.7). */
export function getAgentCapabilities(deps: TaskDependencies): TaskDefinition {
  return inlineTask<GetAgentCapabilitiesRequest>({
    name: 'get_agent_capabilities',
    title: 'Get agent capabilities',
    description:
      'Tells protocol, tasks, how they are called, reporting granularities, coalescence windows and features of this agent.',
    tags: ['discovery'],
    examples: [{ title: 'What this agent can do', input: {} }],
    scope: 'tasks:read',
    input: GetAgentCapabilitiesRequest,
    output: GetAgentCapabilitiesResponse,
    async answer(_input, { caller }) {
      const { capabilities, catalog, names, tasks } = deps;
      const result: GetAgentCapabilitiesResponse = {
        protocol: { name: names.name, version: PROTOCOL_VERSION },
        supported_protocols: ['media_buy'],
        publisher: { name: catalog.publisher.name },
        tasks: tasks.names(),
        calling: capabilities.calling,
        reporting_capabilities: {
          windowed_pull_granularities: [...GRANULARITIES],
          available_metrics: [...METRICS],
          available_reporting_frequencies: [...GRANULARITIES],
          timezone: 'UTC',
        },
        coalescence_windows: {
          impairment_general_seconds: capabilities.impairmentWindowSeconds,
          impairment_latency_sensitive_seconds: 0,
        },
        features: {
          idempotency: { supported: true, replay_ttl_seconds: 86_400 },
          webhooks: {
            signature: names.webhookSignatureTag,
            legacy_schemes: capabilities.legacySchemes,
          },
          approval_by_people: await capabilities.mayAskPerson(caller.organization_id),
          dry_run: true,
        },
      };
      return { result, message: `what ${catalog.publisher.name} can do` };
    },
  });
}
