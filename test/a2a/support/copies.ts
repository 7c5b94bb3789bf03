import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TaskDefinition } from '../../../src/runtime/task-definition.ts';
import { openAgent } from './open-agent.ts';
import type { Agent, AgentSetup } from './open-agent.ts';

/** Two servers that take no work and a worker that takes no requests: copies of one agent. */
export interface Copies {
  here: Agent;
  there: Agent;
  close(): Promise<void>;
}

export async function openCopies(
  tasks: readonly TaskDefinition[],
  mongodbUrl: string | undefined,
  options: NonNullable<AgentSetup['options']> = {},
): Promise<Copies> {
  const shared = { dataDir: await mkdtemp(join(tmpdir(), 'a2a-test-')), prefix: `t-${randomUUID()}` };
  const here = await openAgent({ tasks, shared, mongodbUrl, works: false, options });
  const there = await openAgent({ tasks, shared, mongodbUrl, works: false, options });
  const worker = await openAgent({ tasks, shared, mongodbUrl });
  return {
    here,
    there,
    async close() {
      await Promise.all([here.close(), there.close(), worker.close()]);
      await rm(shared.dataDir, { recursive: true });
    },
  };
}
