import { MissingCredential } from '../directory/credential/credential-refusal.ts';
import type { JsonObject } from '../platform/json-object.ts';
import { recordRefusal } from '../platform/security/record-refusal.ts';
import type { SecurityLog } from '../platform/security/security-log.ts';
import { jsonSchemaOf } from '../platform/json-schema.ts';
import { isTerminal } from '../runtime/states.ts';
import { isRead } from '../runtime/task-definition.ts';
import type { TaskDefinition } from '../runtime/task-definition.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { TaskRun } from '../runtime/task-run.ts';
import { taskRow } from '../tasks/task-row.ts';
import type { ToolAnswer, ToolCall, ToolListing, ToolSet } from './tool-set.ts';

export interface OwnToolDependencies {
  runtime: Runtime;
  security: SecurityLog;
  /** How long an answer waits, in milliseconds. */
  answerWaitMs: number;
}

/** The agent's own tasks as tools, in its own words: each answers its task as `get_task_status` tells it. */
export function ownTools(deps: OwnToolDependencies): ToolSet {
  const { tasks } = deps.runtime;
  let listed: readonly ToolListing[] | undefined;
  return {
    list: () => (listed ??= [...tasks.values()].map(listing)),
    call: (call) => (tasks.has(call.name) ? answered(deps, call) : undefined),
    standing: (run) => Promise.resolve(told(run)),
    discovery: new Set(),
    needsCredential: () => new MissingCredential(),
    credentialRefused: () => undefined,
    refused: (error, { context }) => ({
      status: 'failed',
      error: error.toBody(),
      ...(context !== undefined && { context }),
    }),
  };
}

async function answered({ runtime, security, answerWaitMs }: OwnToolDependencies, call: ToolCall): Promise<ToolAnswer> {
  const { caller, name, input, contextText, begun, waitMs = answerWaitMs, signal } = call;
  try {
    const submission = {
      caller,
      task_type: name,
      input,
      ...(contextText !== undefined && { context_text: contextText }),
    };
    const { run, replayed } = await runtime.submit(submission);
    begun(run);
    const shown = await runtime.waitWhileInHand(run, waitMs, signal);
    const { body, isError } = told(shown);
    const goesOn = isTerminal(shown.state) ? {} : { goesOn: shown };
    return { body: { ...body, ...(replayed && { replayed }) }, isError, ...goesOn };
  } catch (error) {
    recordRefusal(security, error, { subject: caller.principal_id, organization_id: caller.organization_id });
    throw error;
  }
}

function told(run: TaskRun): ToolAnswer {
  const body: JsonObject = { ...taskRow(run, { withResult: true }) };
  return { body, isError: run.state === 'failed' || run.state === 'rejected' };
}

function listing(task: TaskDefinition): ToolListing {
  const { name, title, description, input, toldInput = input } = task;
  const { $schema: _dialect, ...schema } = jsonSchemaOf(toldInput, 'input');
  return {
    ...{ name, title, description },
    inputSchema: { ...schema, type: 'object' },
    annotations: { readOnlyHint: isRead(task), idempotentHint: true },
  };
}
