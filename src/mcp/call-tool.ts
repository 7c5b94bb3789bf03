import type { ServerContext } from '@modelcontextprotocol/server';
import { AppError } from '../platform/errors.ts';
import { isObject } from '../platform/json-object.ts';
import type { Counters } from '../platform/metrics/metrics.ts';
import { shownError } from '../platform/store/shown-error.ts';
import { openServerSpan } from '../platform/telemetry/spans.ts';
import type { TaskRun } from '../runtime/task-run.ts';
import type { Exchanged } from './exchanged.ts';
import { tellProgress } from './progress.ts';
import type { ProgressDependencies } from './progress.ts';
import { INVALID_PARAMS, mcpError } from './mcp-error.ts';
import type { ToolAnswer, ToolCall, ToolSet } from './tool-set.ts';

export interface CallToolDependencies extends ProgressDependencies {
  counters: Counters;
  tools: ToolSet;
}

/** One call of a tool, as it was sent. */
export interface CalledTool {
  name: string;
  arguments?: unknown;
  mcpReq: Pick<ServerContext['mcpReq'], '_meta' | 'notify'>;
  waitMs?: ToolCall['waitMs'];
}

/** @throws {ProtocolError} for what is no tool, and where the credential has ended meanwhile. */
export async function callTool(
  options: CallToolDependencies,
  { caller, message, signal }: Exchanged,
  { name, arguments: sent, mcpReq, waitMs }: CalledTool,
): Promise<ToolAnswer> {
  const { tools, counters, log } = options;
  const input = isObject(sent) ? sent : {};
  const { contextText } = message;
  const over = new AbortController();
  const telling = { token: mcpReq._meta?.progressToken, notify: mcpReq.notify, signal: over.signal };
  const begun = (run: TaskRun) => {
    const { token } = telling;
    if (token !== undefined) void tellProgress(options, run, { ...telling, token });
  };
  const span = openServerSpan('mcp tools/call', () => ({ 'rpc.system': 'mcp', 'mcp.tool': name }));
  const asked = span.run(() => tools.call({ caller, name, input, contextText, begun, waitMs, signal }));
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
  if (signal.reason instanceof AppError) throw mcpError(signal.reason, tools);
  return answer;
}

function unknownTool(tools: ToolSet, name: string) {
  const names = tools.list().map((tool) => tool.name);
  return mcpError(
    new AppError(
      'INVALID_REQUEST',
      `no tool is called ${JSON.stringify(name.slice(0, 80))}; there are ${names.join(', ')}`,
      {
        field: 'params.name',
      },
    ),
    tools,
    INVALID_PARAMS,
  );
}
