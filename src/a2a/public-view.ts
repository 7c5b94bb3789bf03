import { Role, TaskState } from '@a2a-js/sdk';
import type { Task } from '@a2a-js/sdk';
import type { DiscoveryAnswer, PublicAnswer } from '../dialects/dialects.ts';
import type { Part } from '../runtime/content.ts';
import { currentStatus } from '../runtime/task-run.ts';
import type { Wire } from './call.ts';
import { artifactView, statusView, taskView } from './task-view.ts';
import type { ViewOptions } from './task-view.ts';

/**
 * An answer in the public dialect as the task that A2A has for it. What went wrong, and that the work goes on, is told in the
 * answer, where each generation of clients looks: those of 0.3 read nothing of a task that is not completed.
 */
export function publicView(answer: PublicAnswer, wire: Wire, options: ViewOptions = {}): Task {
  const { run, outcome, text } = answer;
  const { data: _data, data_texts: _texts, parts: _parts, ...status } = currentStatus(run);
  const artifact = artifactOf(answer, options);
  const metadata = wire === '0.3' && outcome === 'submitted' ? { adcp_task_id: run.task_id } : undefined;
  return {
    ...taskView(run, { ...options, artifacts: false }),
    status: { ...statusView(run, { ...status, message: text }, options.takes), state: STATES[outcome][wire] },
    artifacts: options.artifacts === false ? [] : [{ ...artifact, metadata }],
  };
}

/** An answer that no task is kept of, as the completed or failed task that clients read it from. `ids`: new ones. */
export function passingView(
  answer: DiscoveryAnswer,
  wire: Wire,
  { ids, timestamp, ...options }: ViewOptions & { ids: { id: string; contextId: string }; timestamp: string },
): Task {
  const { id: taskId, contextId } = ids;
  const told = { taskId, contextId, messageId: `${taskId}-1`, role: Role.ROLE_AGENT };
  const text = {
    content: { $case: 'text' as const, value: answer.text },
    metadata: undefined,
    filename: '',
    mediaType: '',
  };
  return {
    ...ids,
    status: {
      ...{ state: STATES[answer.outcome][wire], timestamp },
      message: { ...told, parts: [text], metadata: undefined, extensions: [], referenceTaskIds: [] },
    },
    artifacts: [artifactOf(answer, options)],
    history: [],
    metadata: undefined,
  };
}

function artifactOf(answer: DiscoveryAnswer, { takes }: ViewOptions) {
  return artifactView({ artifact_id: 'result', name: 'result', parts: partsOf(answer) }, takes);
}

/** Clients of 0.3 take the status in the first part's data for the task's, which these are not. */
const READ_AS_THE_TASKS = new Set<unknown>(['canceled', 'rejected', 'failed']);

function partsOf({ text, body }: DiscoveryAnswer): Part[] {
  const data = { data: body };
  return READ_AS_THE_TASKS.has(body['status']) ? [{ text }, data] : [data, { text }];
}

const COMPLETED = { '0.3': TaskState.TASK_STATE_COMPLETED, '1.0': TaskState.TASK_STATE_COMPLETED } as const;

const STATES = {
  completed: COMPLETED,
  submitted: COMPLETED,
  canceled: COMPLETED,
  failed: { '0.3': TaskState.TASK_STATE_COMPLETED, '1.0': TaskState.TASK_STATE_FAILED },
  'input-required': { '0.3': TaskState.TASK_STATE_COMPLETED, '1.0': TaskState.TASK_STATE_INPUT_REQUIRED },
  'auth-required': { '0.3': TaskState.TASK_STATE_COMPLETED, '1.0': TaskState.TASK_STATE_AUTH_REQUIRED },
} as const satisfies Record<PublicAnswer['outcome'], Record<Wire, TaskState>>;
