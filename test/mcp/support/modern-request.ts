import type { AgentAt, Json } from '../../journeys/support/buyer.ts';

/** An answer of MCP to one request, with the status of HTTP that it came with. */
export interface ModernAnswer {
  status: number;
  /** The whole message. */
  text: string;
  result: Json | undefined;
  error: { code: number; message: string; data: Json } | undefined;
}

/** What a client says that takes tasks, and can have forms filled in. */
export const TAKES_TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} }, elicitation: { form: {} } };

export const VERSION = '2026-07-28';
export const CLIENT_INFO = { name: 'buyer', version: '1' };

/** What `Mcp-Name` says of a request, by its method. */
const NAMED_BY: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/** Sends one request of 2026-07-28 as it is written there. @param capabilities of the client; default: it takes tasks. */
export async function modernRequest(
  agent: AgentAt,
  method: string,
  params: Json = {},
  capabilities: Json = TAKES_TASKS,
): Promise<ModernAnswer> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientInfo': CLIENT_INFO,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
  const name = params[NAMED_BY[method] ?? ''];
  const response = await fetch(`${agent.baseUrl}/mcp`, {
    method: 'POST',
    headers: {
      ...(agent.apiKey !== '' && { authorization: `Bearer ${agent.apiKey}` }),
      ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      ...{ 'mcp-protocol-version': VERSION, 'mcp-method': method },
      ...(typeof name === 'string' && { 'mcp-name': name }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
  });
  const text = await response.text();
  const isStream = response.headers.get('content-type') === 'text/event-stream';
  const last = isStream ? (text.match(/^data: .*$/gm) ?? []).at(-1)?.slice('data: '.length) : text;
  const { result, error } = JSON.parse(last ?? '{}') as Pick<ModernAnswer, 'result' | 'error'>;
  return { status: response.status, text: last ?? '', result, error };
}
