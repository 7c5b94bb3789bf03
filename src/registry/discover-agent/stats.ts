import { authorizations } from '../../directory/authorization/authorization.ts';
import type { Store } from '../../platform/collection.ts';
import type { McpAgent } from '../probe/mcp.ts';
import type { Probed } from '../probe/probe.ts';
import type { AgentDiscovered } from './schema.ts';

/** Which task tells each count, and in which list of its answer. */
const TOLD_BY = {
  format_count: ['list_creative_formats', 'formats'],
  product_count: ['get_products', 'products'],
  publisher_count: ['list_authorized_properties', 'publisher_domains'],
} as const;

/** Counts an agent tells anybody by MCP; publishers also from the registry's own authorizations, whichever are more. */
export async function statsOf(store: Store, agentUrl: string, probed: Probed): Promise<AgentDiscovered['stats']> {
  const [format_count, product_count, told, known] = await Promise.all([
    countBy(probed.mcp, ...TOLD_BY.format_count),
    countBy(probed.mcp, ...TOLD_BY.product_count),
    countBy(probed.mcp, ...TOLD_BY.publisher_count),
    store.collection(authorizations).find({ where: { agent_url: agentUrl }, limit: 1000 }),
  ]);
  const recorded = new Set(known.rows.map((row) => row.publisher_domain)).size;
  return {
    ...(format_count !== undefined && { format_count }),
    ...(product_count !== undefined && { product_count }),
    publisher_count: Math.max(told ?? 0, recorded),
  };
}

async function countBy(agent: McpAgent | undefined, task: string, list: string): Promise<number | undefined> {
  if (!agent?.tools.some(({ name }) => name === task)) return undefined;
  const items = (await agent.call(task, {}))?.[list];
  return Array.isArray(items) ? items.length : undefined;
}
