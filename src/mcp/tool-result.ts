import type { CallToolResult } from '@modelcontextprotocol/server';
import { writeJson } from '../platform/json-text.ts';
import { mcpTask } from './task-view.ts';
import type { McpTask } from './task-view.ts';
import type { ToolAnswer } from './tool-set.ts';

/** All that a client may read: the values, and the same as text for those that read no values. */
export function toolResult({ body, isError }: ToolAnswer): CallToolResult {
  const content = [{ type: 'text' as const, text: writeJson(body) }];
  return { content, structuredContent: body, ...(isError && { isError }) };
}

/** The same for a client that takes a task for an answer, where the work goes on. */
export function resultOrTask(answer: ToolAnswer): CallToolResult | (McpTask & { resultType: 'task' }) {
  const { goesOn } = answer;
  return goesOn === undefined ? toolResult(answer) : { resultType: 'task', ...mcpTask(goesOn) };
}
