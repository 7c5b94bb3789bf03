import type { Core } from '../../../src/main/wiring/compose.ts';
import { currentStatus } from '../../../src/runtime/task-run.ts';
import { BUYER } from '../../tasks/support/calls.ts';
import type { Json } from '../../tasks/support/calls.ts';

/** The answer of a task that only reads. */
export async function result({ runtime }: Pick<Core, 'runtime'>, task_type: string, input: Json): Promise<Json> {
  return currentStatus((await runtime.submit({ caller: BUYER, task_type, input })).run).data as Json;
}
