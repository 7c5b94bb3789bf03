import type { Logger } from '../../../src/platform/log.ts';
import { compose } from '../../../src/main/wiring/compose.ts';
import type { Core } from '../../../src/main/wiring/compose.ts';
import type { Config } from '../../../src/main/config/config.ts';
import type { TaskDefinition } from '../../../src/runtime/task-definition.ts';
import { conformance } from './skill.ts';

/** The agent as main composes it, and one skill more. */
export async function composeWithConformance(config: Config, log: Logger, baseUrl: string): Promise<Core> {
  const core = await compose({ config, log, baseUrl });
  (core.runtime.tasks as Map<string, TaskDefinition>).set(conformance.name, conformance);
  return core;
}
