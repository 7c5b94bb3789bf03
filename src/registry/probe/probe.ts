import type { AgentType } from '../../directory/agent/agent.ts';
import { findCard } from './a2a.ts';
import type { A2aAgent } from './a2a.ts';
import type { Asking, NoAnswer } from './ask.ts';
import { findMcp } from './mcp.ts';
import type { McpAgent } from './mcp.ts';
import type { Tool } from './tool.ts';

/** What an agent says of itself. */
export interface Probed {
  kind: 'found';
  name: string;
  description: string;
  protocols: ('a2a' | 'mcp')[];
  type: AgentType;
  tools: Tool[];
  a2a?: A2aAgent;
  mcp?: McpAgent;
}

/** Asks an agent by A2A and by MCP at once; what it says by A2A goes first (rule R12). */
export async function probeAgent(asking: Asking, agentUrl: string): Promise<Probed | NoAnswer> {
  const [a2a, mcp] = await Promise.all([findCard(asking, agentUrl), findMcp(asking, agentUrl)]);
  if (a2a.kind !== 'found' && mcp.kind !== 'found') return worst(a2a, mcp);
  const found = [a2a, mcp].filter((side) => side.kind === 'found');
  const tools = new Map(
    found
      .flatMap((side) => side.tools)
      .reverse()
      .map((tool) => [tool.name, tool]),
  );
  const first = found[0];
  return {
    kind: 'found',
    name: first?.name ?? '',
    description: first?.description ?? '',
    protocols: [...(a2a.kind === 'found' ? ['a2a' as const] : []), ...(mcp.kind === 'found' ? ['mcp' as const] : [])],
    type: typeOf([...tools.keys()]),
    tools: [...tools.values()].reverse(),
    ...(a2a.kind === 'found' && { a2a }),
    ...(mcp.kind === 'found' && { mcp }),
  };
}

/** Of two failures, the one that tells more: what we refuse, then lateness, then what A2A met. */
function worst(a: NoAnswer, b: NoAnswer): NoAnswer {
  return [a, b].find(({ kind }) => kind === 'refused') ?? [a, b].find(({ kind }) => kind === 'timeout') ?? a;
}

/**
 * By which task names an agent's type is known, the more telling ones first (rule R12). Names count only when exact.
 */
const TELLING: readonly [AgentType, readonly string[]][] = [
  [
    'sales',
    ['get_products', 'create_media_buy', 'update_media_buy', 'get_media_buy_delivery', 'list_authorized_properties'],
  ],
  ['signals', ['get_signals', 'activate_signal']],
  [
    'governance',
    [
      'check_governance',
      'sync_plans',
      'report_plan_outcome',
      'create_property_list',
      'get_property_list',
      'list_content_standards',
      'calibrate_content',
      'validate_content_delivery',
    ],
  ],
  ['creative', ['build_creative', 'preview_creative', 'list_creative_formats', 'list_creatives', 'sync_creatives']],
  ['brand', ['get_brand_identity', 'get_rights', 'acquire_rights', 'update_rights']],
];

/** What an agent does, by the tasks it declares; `unknown` when none of them tells. */
function typeOf(taskNames: readonly string[]): AgentType {
  const names = new Set(taskNames);
  return TELLING.find(([, telling]) => telling.some((name) => names.has(name)))?.[0] ?? 'unknown';
}
