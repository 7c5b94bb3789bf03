import type { ServerResponse } from 'node:http';
import { createMcpHandler, McpServer, ProtocolError } from '@modelcontextprotocol/server';
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Caller } from '../directory/caller.ts';
import { AppError } from '../platform/errors.ts';
import { isObject } from '../platform/json-object.ts';
import { writeJson } from '../platform/json-text.ts';
import type { Counters } from '../platform/metrics/metrics.ts';
import { shownError } from '../platform/store/shown-error.ts';
import type { TaskRun } from '../runtime/task-run.ts';
import { openServerSpan } from '../platform/telemetry/spans.ts';
import { mcpFailure } from './failure.ts';
import type { McpMessage } from './message-body.ts';
import { tellProgress } from './progress.ts';
import type { ProgressDependencies } from './progress.ts';
import type { ToolAnswer, ToolSet } from './tool-set.ts';
import { sendWebResponse } from './web-response.ts';

export interface ExchangeOptions extends ProgressDependencies {
  counters: Counters;
  tools: ToolSet;
  /** Who the agent is, for clients to show. */
  about: { name: string; title: string; version: string };
}

/** One authenticated request. */
export interface Exchanged {
  caller: Caller;
  headers: Headers;
  message: McpMessage;
  /** Aborts when the client has gone. */
  gone: AbortSignal;
  /** Aborts then, and when an answer must not be waited for any longer; with an error, when there is to be none. */
  signal: AbortSignal;
}

/** Answers one request by itself, in whichever generation of the protocol it is. */
export type McpExchange = (given: Exchanged, response: ServerResponse) => Promise<void>;

/** How often a quiet stream says that it is alive, in milliseconds: clients give one up after 5 s. */
const KEEP_ALIVE_MS = 3_000;
/** How long clients may keep the list of tools, in milliseconds. It is the same for all. */
const LIST_MS = 300_000;

/**
 * The SDK's server for both generations of the protocol, made anew for each request: no session, so that any process answers any
 * request (rule D9).
 */
export function createExchange(options: ExchangeOptions): McpExchange {
  const { log } = options;
  const underWay = new WeakMap<Request, Exchanged>();
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const given = requestInfo && underWay.get(requestInfo);
      if (given === undefined) throw new Error('the request is none of ours');
      return serverFor(options, given);
    },
    {
      legacy: 'stateless',
      keepAliveMs: KEEP_ALIVE_MS,
      onerror: (error) => {
        log.debug({ err: error }, 'MCP request refused');
      },
    },
  );
  return async (given, response) => {
    const { headers, gone: signal, message } = given;
    // Its address is never looked at.
    const request = new Request('http://localhost/mcp', { method: 'POST', headers, signal });
    underWay.set(request, given);
    await sendWebResponse(await handler.fetch(request, { parsedBody: message.value }), response);
  };
}

function serverFor(options: ExchangeOptions, { caller, message, signal }: Exchanged): McpServer {
  const { tools, about, counters, log } = options;
  const hint = { ttlMs: LIST_MS, cacheScope: 'public' as const };
  const mcp = new McpServer(about, { capabilities: { tools: {} }, cacheHints: { 'tools/list': hint } });
  const { server } = mcp;
  server.setRequestHandler('tools/list', () => ({ tools: [...tools.list()] }));
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: given } }, { mcpReq }) => {
    const input = isObject(given) ? given : {};
    const { contextText } = message;
    const over = new AbortController();
    const telling = { token: mcpReq._meta?.progressToken, notify: mcpReq.notify, signal: over.signal };
    const begun = (run: TaskRun) => {
      const { token } = telling;
      if (token !== undefined) void tellProgress(options, run, { ...telling, token });
    };
    const span = openServerSpan('mcp tools/call', () => ({ 'rpc.system': 'mcp', 'mcp.tool': name }));
    const asked = span.run(() => tools.call({ caller, name, input, contextText, begun, signal }));
    if (asked === undefined) {
      span.end();
      counters.add('mcp_calls_total', { tool: 'unknown', outcome: 'unknown_tool' });
      throw unknownTool(tools, name);
    }
    const answer = await asked.catch((thrown: unknown) => {
      const error = shownError(thrown);
      span.fail(error);
      if (error.code === 'INTERNAL_ERROR') log.error({ err: thrown }, 'MCP request failed');
      return { body: tools.refused(error, input), isError: true };
    });
    over.abort();
    span.end();
    counters.add('mcp_calls_total', { tool: name, outcome: answer.isError ? 'failed' : 'ok' });
    if (signal.reason instanceof AppError) throw protocolError(signal.reason);
    return toolResult(answer);
  });
  return mcp;
}

/** All that a client may read: the values, and the same as text for those that read no values. */
function toolResult({ body, isError }: ToolAnswer): CallToolResult {
  const content = [{ type: 'text' as const, text: writeJson(body) }];
  return { content, structuredContent: body, ...(isError && { isError }) };
}

function unknownTool(tools: ToolSet, name: string): ProtocolError {
  const names = tools.list().map((tool) => tool.name);
  return protocolError(
    new AppError(
      'INVALID_REQUEST',
      `no tool is called ${JSON.stringify(name.slice(0, 80))}; there are ${names.join(', ')}`,
      {
        field: 'params.name',
      },
    ),
    INVALID_PARAMS,
  );
}

const INVALID_PARAMS = -32_602;

function protocolError(thrown: unknown, as?: number): ProtocolError {
  const { code, message, data } = mcpFailure(thrown).error;
  return new ProtocolError(as ?? code, message, data);
}
