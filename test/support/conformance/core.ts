import type { Logger } from '../../../src/platform/log.ts';
import { compose } from '../../../src/main/wiring/compose.ts';
import type { Core } from '../../../src/main/wiring/compose.ts';
import type { Config } from '../../../src/main/config/config-shape.ts';
import type { TaskDefinition } from '../../../src/runtime/task-definition.ts';
import { MCP_FIXTURES } from './mcp-fixtures.ts';
import { conformance } from './skill.ts';

/** The agent as main composes it, with one skill more, and what the kit of MCP calls. */
export async function composeWithConformance(config: Config, log: Logger, baseUrl: string): Promise<Core> {
  const core = await compose({ config, log, baseUrl });
  for (const task of [conformance, ...MCP_FIXTURES]) {
    (core.runtime.tasks as Map<string, TaskDefinition>).set(task.name, task);
  }
  return core;
}
