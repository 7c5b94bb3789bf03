import { liveOfAgents } from '../../directory/authorization/live-of-agents.ts';
import type { Store } from '../../platform/store/collection.ts';
import { AppError } from '../../platform/errors.ts';
import type { ErrorCode } from '../../platform/errors.ts';
import { endpoint } from '../endpoint.ts';
import { probeAgent } from '../probe/probe.ts';
import type { Probed } from '../probe/probe.ts';
import { FORMATS, PRODUCTS, PUBLISHERS, toldOverMcp } from '../probe/told-lists.ts';
import { AgentDiscovered, DiscoverQuery, DiscoveryError } from './schema.ts';

/** Below the 10 s of rule R12, so that the answer is out by then. */
const PROBE_MS = 9_500;

/** Asks an agent who it is (rules C.endpoints.discover, R12). */
export const discoverAgent = endpoint({
  id: 'discoverAgent',
  method: 'get',
  path: '/api/public/discover-agent',
  tag: 'Agents',
  summary: 'Ask an agent what it is',
  description:
    'Reads its A2A card and asks it over MCP: name, type, tasks and what it tells of its size. Answers within 10 seconds.',
  access: 'public',
  effect: 'read',
  limit: 'discover_agent',
  query: DiscoverQuery,
  responses: {
    200: { description: 'What the agent says of itself', schema: AgentDiscovered },
    502: { description: 'No agent answers there', schema: DiscoveryError },
    504: { description: 'It did not answer within 10 seconds', schema: DiscoveryError },
  },
  errorBody: (code, message) => ({ error: TITLES[code as ErrorCode] ?? 'the agent could not be discovered', message }),

  async handle({ query: { url } }, { store, clock, outbound, probeMs = PROBE_MS }) {
    const asking = { out: outbound, deadline: performance.now() + probeMs };
    const probed = await probeAgent(asking, url);
    switch (probed.kind) {
      case 'refused':
        throw new AppError('ADDRESS_REFUSED', `this URL is not asked: ${probed.reason}`, { field: 'url' });
      case 'timeout':
        throw new AppError('TIMEOUT', 'the agent did not answer within 10 seconds');
      case 'unreachable':
        return {
          status: 502,
          body: { error: 'agent not reachable', message: `no agent answers at this URL: ${probed.reason}` },
        };
      case 'found': {
        const { name, protocols, type, tools, description } = probed;
        const stats = await statsOf(store, url, probed, clock.now());
        return { body: { name, protocols, type, tools_count: tools.length, tools, stats, description } };
      }
    }
  },
});

const TITLES: Partial<Record<ErrorCode, string>> = {
  VALIDATION_ERROR: 'invalid url',
  INVALID_REQUEST: 'invalid request',
  ADDRESS_REFUSED: 'address refused',
  TIMEOUT: 'timeout',
  RATE_LIMITED: 'too many requests',
  SERVICE_UNAVAILABLE: 'registry not available',
};

/** Counts an agent tells anybody by MCP; publishers also from the registry's own authorizations, whichever are more. */
async function statsOf(
  store: Store,
  agentUrl: string,
  probed: Probed,
  nowMs: number,
): Promise<AgentDiscovered['stats']> {
  const [formats, products, told, known] = await Promise.all([
    toldOverMcp(probed.mcp, FORMATS),
    toldOverMcp(probed.mcp, PRODUCTS),
    toldOverMcp(probed.mcp, PUBLISHERS),
    liveOfAgents(store, [agentUrl], nowMs),
  ]);
  const recorded = known.live.length;
  return {
    ...(formats && { format_count: formats.length }),
    ...(products && { product_count: products.length }),
    publisher_count: Math.max(told?.length ?? 0, recorded),
  };
}
