import { Message, Role, TaskState } from '@a2a-js/sdk';
import type { Artifact, Part, Task, TaskStatus } from '@a2a-js/sdk';
import type { JsonObject } from '../platform/json-object.ts';
import { together } from '../platform/json-text.ts';
import type { Artifact as StoredArtifact, Part as StoredPart } from '../runtime/content.ts';
import { isInterrupted, isTerminal } from '../runtime/states.ts';
import type { TaskState as StoredState } from '../runtime/states.ts';
import { currentStatus, dataOf } from '../runtime/task-run.ts';
import type { StatusEvent, TaskRun } from '../runtime/task-run.ts';
import type { PartsTaken } from './output-modes.ts';

export interface ViewOptions {
  /** Most messages of the history; absent: all, 0: none. */
  historyLength?: number | undefined;
  /** Default true. */
  artifacts?: boolean;
  /** This answer repeats an earlier one (rule B7). */
  replayed?: boolean;
  /** The parts of messages and artifacts that the client takes; absent: all. */
  takes?: PartsTaken | undefined;
}

/** A task run as A2A shows it. */
export function taskView(run: TaskRun, options: ViewOptions = {}): Task {
  const replayed = options.replayed === true;
  return {
    id: run.task_id,
    contextId: run.context_id,
    status: statusView(run, currentStatus(run), options.takes),
    artifacts:
      options.artifacts === false ? [] : artifactsOf(run, replayed).map((one) => artifactView(one, options.takes)),
    history: lastOf(historyOf(run), options.historyLength),
    metadata: { skill: run.task_type, ...(replayed && { replayed }) },
  };
}

/** A status with its message. Interim states carry their data behind the text (rule C.events.5). */
export function statusView(run: TaskRun, event: StatusEvent, takes: PartsTaken = all): TaskStatus {
  return {
    state: STATES[event.state],
    timestamp: event.timestamp,
    message: {
      messageId: `${run.task_id}-${event.sequence}`,
      contextId: run.context_id,
      taskId: run.task_id,
      role: Role.ROLE_AGENT,
      parts: takes(statusParts(event)).map(partView),
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    },
  };
}

const all: PartsTaken = (parts) => [...parts];

function statusParts(event: StatusEvent): StoredPart[] {
  if (event.parts !== undefined) return event.parts;
  return textThen(event.message, isTerminal(event.state) ? undefined : dataOf(event));
}

function textThen(text: string, data: unknown): StoredPart[] {
  return [{ text }, ...(data === undefined ? [] : [{ data }])];
}

const STATES = {
  submitted: TaskState.TASK_STATE_SUBMITTED,
  working: TaskState.TASK_STATE_WORKING,
  'input-required': TaskState.TASK_STATE_INPUT_REQUIRED,
  'auth-required': TaskState.TASK_STATE_AUTH_REQUIRED,
  completed: TaskState.TASK_STATE_COMPLETED,
  failed: TaskState.TASK_STATE_FAILED,
  canceled: TaskState.TASK_STATE_CANCELED,
  rejected: TaskState.TASK_STATE_REJECTED,
} as const satisfies Record<StoredState, TaskState>;

/** The stored state that a wire state names; undefined for none. */
export function storedState(state: TaskState): StoredState | undefined {
  return (Object.keys(STATES) as StoredState[]).find((name) => STATES[name] === state);
}

/** First the response, then what the task had put out before, chunks joined. */
function artifactsOf(run: TaskRun, replayed: boolean): StoredArtifact[] {
  const result = resultArtifact(currentStatus(run), replayed);
  const announced = new Map<string, StoredArtifact>();
  for (const event of run.events) {
    if (event.kind !== 'artifact') continue;
    const { artifact } = event;
    const known = artifact.append === true ? announced.get(artifact.artifact_id) : undefined;
    announced.set(artifact.artifact_id, { ...artifact, parts: [...(known?.parts ?? []), ...artifact.parts] });
  }
  return [...(result === undefined ? [] : [result]), ...announced.values()];
}

/** The artifact whose last data part is the task's response, made of a final status with data. */
export function resultArtifact(event: StatusEvent, replayed = false): StoredArtifact | undefined {
  if (!isTerminal(event.state) || event.data === undefined) return undefined;
  const told = dataOf(event);
  const data = replayed && event.state === 'completed' ? { ...(told as JsonObject), replayed } : told;
  return { artifact_id: RESULT, name: RESULT, parts: textThen(event.message, data) };
}

/** Id of the artifact that holds a task's response; the same in webhooks. */
const RESULT = 'result';

export function artifactView({ artifact_id, name, parts }: StoredArtifact, takes: PartsTaken = all): Artifact {
  return {
    artifactId: artifact_id,
    name: name ?? '',
    description: '',
    parts: takes(parts).map(partView),
    metadata: undefined,
    extensions: [],
  };
}

function partView(part: StoredPart): Part {
  const shared = { metadata: undefined, filename: '', mediaType: '' };
  if ('text' in part) return { ...shared, content: { $case: 'text', value: part.text } };
  if ('data' in part) return { ...shared, content: { $case: 'data', value: part.data } };
  const { media_type: mediaType = '', filename = '' } = part;
  const content = 'url' in part ? ({ $case: 'url', value: part.url } as const) : rawContent(part.raw);
  return { metadata: undefined, mediaType, filename, content };
}

function rawContent(base64: string) {
  return { $case: 'raw', value: Buffer.from(base64, 'base64') } as const;
}

/** The conversation: the caller's messages, and the questions of the agent that they answer. */
function historyOf(run: TaskRun): Message[] {
  const inbound = run.messages.map(({ wire, wire_texts }) =>
    Message.fromJSON({ ...together(wire, wire_texts), taskId: run.task_id, contextId: run.context_id }),
  );
  const questions = run.events.flatMap((event) =>
    event.kind === 'status' && isInterrupted(event.state) ? [statusView(run, event).message] : [],
  );
  return inbound.flatMap((message, i) => {
    const question = i === 0 ? undefined : questions[i - 1];
    return question === undefined ? [message] : [question, message];
  });
}

function lastOf<T>(items: T[], length: number | undefined): T[] {
  return length === undefined ? items : items.slice(items.length - Math.min(length, items.length));
}
