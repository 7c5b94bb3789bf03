import type { JsonObject } from '../../platform/json-object.ts';
import type { McpAgent } from './mcp.ts';

/** A list that an agent tells anybody, and how it is asked for. */
export interface ToldList {
  task: string;
  list: string;
  /** Requests in the words of one release and another: each is tried until one is answered with the list. */
  asked: readonly JsonObject[];
}

/** Releases from 3.0 on ask for all that is sold in a mode of its own; for those before it is a request without a brief. */
export const PRODUCTS: ToldList = { task: 'get_products', list: 'products', asked: [{ buying_mode: 'wholesale' }, {}] };
export const FORMATS: ToldList = { task: 'list_creative_formats', list: 'formats', asked: [{}] };
export const PUBLISHERS: ToldList = { task: 'list_authorized_properties', list: 'publisher_domains', asked: [{}] };

/** The list as an agent tells it over MCP without a credential; undefined where it has no such task, or answers otherwise. */
export async function toldOverMcp(
  agent: McpAgent | undefined,
  { task, list, asked }: ToldList,
): Promise<unknown[] | undefined> {
  if (agent?.tools.some(({ name }) => name === task) !== true) return undefined;
  for (const input of asked) {
    const items: unknown = (await agent.call(task, input))?.[list];
    if (Array.isArray(items)) return items as unknown[];
  }
  return undefined;
}
