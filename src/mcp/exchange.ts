import type { ServerResponse } from 'node:http';
import { createMcpHandler, McpServer, ProtocolError } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { isObject } from '../platform/json-object.ts';
import { callTool } from './call-tool.ts';
import type { CallToolDependencies } from './call-tool.ts';
import type { Exchanged } from './exchanged.ts';
import { INVALID_PARAMS } from './mcp-error.ts';
import { answerAboutTask, TASK_METHOD_NAMES } from './task-methods.ts';
import type { TaskMethodDependencies } from './task-methods.ts';
import { declaredIn, TASKS_CAPABILITY } from './tasks-extension.ts';
import { resultOrTask, toolResult } from './tool-result.ts';
import { sendWebResponse } from './web-response.ts';

export interface ExchangeOptions extends CallToolDependencies, TaskMethodDependencies {
  runtime: CallToolDependencies['runtime'] & TaskMethodDependencies['runtime'];
  /** Who the agent is, for clients to show. */
  about: { name: string; title: string; version: string };
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
    ({ requestInfo, era }) => {
      const given = requestInfo && underWay.get(requestInfo);
      if (given === undefined) throw new Error('the request is none of ours');
      return serverFor(options, given, era === 'modern');
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

/** How long an answer waits for work that its client can ask about as a task, in milliseconds: most of it takes less. */
const TASK_WAIT_MS = 500;

/** The methods look at them themselves. */
const ANY_PARAMS = { params: z.looseObject({}) };

/** @param isModern the request is of 2026-07-28, whose clients may have declared the tasks extension. */
function serverFor(options: ExchangeOptions, given: Exchanged, isModern: boolean): McpServer {
  const { tools, about } = options;
  const { method, params: sent } = given.message.value;
  const hint = { ttlMs: LIST_MS, cacheScope: 'public' as const };
  // The same list as long as the process lives: nobody is ever told of another.
  const capabilities = { tools: { listChanged: false }, ...(isModern && TASKS_CAPABILITY) };
  const mcp = new McpServer(about, { capabilities, cacheHints: { 'tools/list': hint } });
  const { server } = mcp;
  server.setRequestHandler('tools/list', () => ({ tools: [...tools.list()] }));
  const declared = declaredIn(isModern ? sent : undefined);
  if (declared.tasks && method === 'tools/call') {
    // What a handler of its own answers is held against the one kind of results that the SDK knows.
    server.removeRequestHandler('tools/call');
    server.fallbackRequestHandler = async ({ params }, { mcpReq }) =>
      resultOrTask(await callTool(options, given, { ...called(params), mcpReq, waitMs: TASK_WAIT_MS }));
  } else {
    server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) =>
      toolResult(await callTool(options, given, { ...params, mcpReq })),
    );
  }
  if (isModern) {
    for (const name of TASK_METHOD_NAMES) {
      server.setRequestHandler(name, ANY_PARAMS, () => answerAboutTask(options, given, { method: name, declared }));
    }
  }
  return mcp;
}

/** What the SDK reads of a call for those handlers that it calls itself. */
function called(params: unknown): { name: string; arguments: unknown } {
  const { name, arguments: input } = isObject(params) ? params : {};
  if (typeof name === 'string') return { name, arguments: input };
  throw new ProtocolError(INVALID_PARAMS, 'params.name: send the name of a tool');
}
