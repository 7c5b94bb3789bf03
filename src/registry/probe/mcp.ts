import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Asking, NoAnswer } from './ask.ts';
import { postRpc } from './ask.ts';
import { MAX_TOOLS, shownText, ToolDescription, ToolName } from './tool.ts';
import type { Tool } from './tool.ts';

/** The revision of MCP asked for; servers answer the one they speak. */
const MCP_VERSION = '2025-06-18';

const Initialized = z.object({
  protocolVersion: z.string().max(40),
  serverInfo: z.looseObject({ name: shownText(200), title: shownText(200).optional() }),
  instructions: shownText(2000).optional(),
});

const ToolsPage = z.object({
  tools: z.array(z.looseObject({ name: z.string(), description: z.unknown().optional() })).max(5000),
  nextCursor: z.string().optional(),
});

/** An agent found by MCP. */
export interface McpAgent {
  kind: 'found';
  name: string;
  description: string;
  tools: Tool[];
  /** Calls a tool; answers its structured result, or undefined when it is refused or says nothing structured. */
  call(tool: string, input: Record<string, unknown>): Promise<Record<string, unknown> | undefined>;
}

/** Pages of tools read. */
const MAX_PAGES = 10;

/** Initializes MCP over streamable HTTP at the agent's URL, and else below it at `/mcp`, and lists its tools. */
export async function findMcp(asking: Asking, agentUrl: string): Promise<McpAgent | NoAnswer> {
  const isMcpPath = new URL(agentUrl).pathname.endsWith('/mcp');
  const own = await mcpAt(asking, agentUrl);
  if (own.kind !== 'unreachable' || isMcpPath) return own;
  const below = new URL(agentUrl);
  below.pathname = `${below.pathname.replace(/\/+$/, '')}/mcp`;
  return mcpAt(asking, below.href);
}

async function mcpAt(asking: Asking, url: string): Promise<McpAgent | NoAnswer> {
  const headers: Record<string, string> = {};
  const request = async (method: string, params: unknown) => {
    // Nobody can have an answer ready for an id that they cannot guess.
    const id = randomUUID();
    const answer = await postRpc(asking, url, { jsonrpc: '2.0', id, method, params }, headers);
    if (answer.kind !== 'answer') return answer;
    const isAnswer = answer.message?.['id'] === id && answer.message['jsonrpc'] === '2.0';
    return isAnswer && answer.status < 300 && answer.message?.['result'] !== undefined
      ? { kind: 'result' as const, result: answer.message['result'], headers: answer.headers }
      : { kind: 'unreachable' as const, reason: `answered ${answer.status} to ${method}` };
  };

  const clientInfo = { name: 'registry', version: '1.0.0' };
  const hello = await request('initialize', { protocolVersion: MCP_VERSION, capabilities: {}, clientInfo });
  if (hello.kind !== 'result') return hello;
  const initialized = Initialized.safeParse(hello.result);
  if (!initialized.success) return { kind: 'unreachable', reason: 'the answer to initialize is not valid MCP' };
  const { protocolVersion, serverInfo, instructions = '' } = initialized.data;
  headers['mcp-protocol-version'] = protocolVersion;
  const session = hello.headers['mcp-session-id'];
  if (session !== undefined) headers['mcp-session-id'] = session;
  await postRpc(asking, url, { jsonrpc: '2.0', method: 'notifications/initialized' }, headers);

  const tools: Tool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && tools.length < MAX_TOOLS; page++) {
    const listed = await request('tools/list', cursor === undefined ? {} : { cursor });
    if (listed.kind !== 'result') return listed;
    const read = ToolsPage.safeParse(listed.result);
    if (!read.success) return { kind: 'unreachable', reason: 'the answer to tools/list is not valid MCP' };
    for (const tool of read.data.tools.slice(0, MAX_TOOLS - tools.length))
      tools.push({ name: ToolName.parse(tool.name), description: ToolDescription.parse(tool.description) });
    cursor = read.data.nextCursor;
    if (cursor === undefined) break;
  }
  return {
    kind: 'found',
    name: serverInfo.title ?? serverInfo.name,
    description: instructions,
    tools,
    async call(name, input) {
      const answer = await request('tools/call', { name, arguments: input });
      if (answer.kind !== 'result') return undefined;
      const parsed = z.looseObject({ structuredContent: z.record(z.string(), z.unknown()) }).safeParse(answer.result);
      return parsed.data?.structuredContent;
    },
  };
}
