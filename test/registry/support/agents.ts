import type { IncomingMessage, ServerResponse } from 'node:http';

/** Answers every request with JSON. */
export function json(
  response: ServerResponse,
  value: unknown,
  status = 200,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(value));
}

export async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** A card of A2A 0.3 with these skills. */
export function cardOf(name: string, skills: readonly string[], more: object = {}): object {
  return {
    name,
    description: `${name} in a test`,
    version: '1.0.0',
    protocolVersion: '0.3.0',
    capabilities: {},
    defaultInputModes: ['application/json'],
    defaultOutputModes: ['application/json'],
    skills: skills.map((id) => ({ id, name: id, description: `does ${id}`, tags: [] })),
    ...more,
  };
}

export interface McpServerOptions {
  path: string;
  tools: readonly string[];
  /** Answer as an event stream, with a notification before the answer. */
  streams?: boolean;
  /** Tools on each page of the list. */
  pageSize?: number;
  /** What it answers to every tool; default: something of its own to each. */
  answers?: object;
}

/** An MCP server over streamable HTTP that insists on its session, as the specification asks of clients. */
export function mcpServer({ path, tools, streams = false, pageSize = 100, answers }: McpServerOptions) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.url !== path || request.method !== 'POST') {
      response.writeHead(request.url === path ? 405 : 404).end();
      return;
    }
    const message = JSON.parse(await bodyOf(request)) as {
      id?: number;
      method: string;
      params: Record<string, unknown>;
    };
    if (message.method !== 'initialize' && request.headers['mcp-session-id'] !== 's-1') {
      response.writeHead(400).end();
      return;
    }
    if (message.id === undefined) {
      response.writeHead(202).end();
      return;
    }
    const answer = {
      jsonrpc: '2.0',
      id: message.id,
      result:
        answers !== undefined && message.method === 'tools/call'
          ? { content: [], structuredContent: answers }
          : resultOf(message.method, message.params, tools, pageSize),
    };
    const headers = message.method === 'initialize' ? { 'mcp-session-id': 's-1' } : undefined;
    if (!streams) {
      json(response, answer, 200, headers);
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
    const note = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'hello' } };
    response.end(
      `event: message\ndata: ${JSON.stringify(note)}\n\nevent: message\ndata: ${JSON.stringify(answer)}\n\n`,
    );
  };
}

function resultOf(method: string, params: Record<string, unknown>, tools: readonly string[], pageSize: number): object {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'mcp-test', title: 'MCP Test Agent', version: '1' },
        instructions: 'An agent over MCP.',
      };
    case 'tools/list': {
      const from = Number(params['cursor'] ?? 0);
      const page = tools.slice(from, from + pageSize);
      const next = from + pageSize;
      return {
        tools: page.map((name) => ({ name, description: `does ${name}`, inputSchema: { type: 'object' } })),
        ...(next < tools.length && { nextCursor: String(next) }),
      };
    }
    case 'tools/call':
      return {
        content: [],
        structuredContent:
          params['name'] === 'list_creative_formats'
            ? { formats: [1, 2, 3] }
            : params['name'] === 'get_products'
              ? productsFor(params['arguments'])
              : { publisher_domains: ['a.example'] },
      };
    default:
      return {};
  }
}

/** By releases from 3.0 on: a mode is required. */
function productsFor(asked: unknown): object {
  if ((asked as { buying_mode?: unknown }).buying_mode === 'wholesale') return { products: [1, 2] };
  return { adcp_error: { code: 'INVALID_REQUEST', message: 'buying_mode: required' } };
}
