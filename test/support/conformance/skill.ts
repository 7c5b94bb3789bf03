import { z } from 'zod';
import type { Artifact, Part } from '../../../src/runtime/content.ts';
import { queuedTask } from '../../../src/runtime/task-definition.ts';
import type { RunContext, RunOutcome } from '../../../src/runtime/task-definition.ts';

/**
 * The one extra skill of the conformance agent: it answers any message as the beginning of its `messageId` says, which
 * is how the official conformance kits of A2A drive an agent. It runs on the same engine as every other task.
 */
export const conformance = queuedTask({
  name: 'conformance',
  title: 'Conformance',
  description: 'Answers any message as the prefix of its messageId asks.',
  tags: ['conformance'],
  examples: [],
  scope: 'tasks:write',
  mutates: false,
  input: z.looseObject({}),
  output: z.unknown(),
  check: () => Promise.resolve(),
  run: (_input, context) => answer(context.run.messages.at(-1)?.message_id ?? '', context),
});

async function answer(messageId: string, context: RunContext): Promise<RunOutcome> {
  const [, behaviour] = BEHAVIOURS.find(([prefix]) => messageId.startsWith(prefix)) ?? ['', hesitate];
  return behaviour(context);
}

type Behaviour = (context: RunContext) => Promise<RunOutcome>;

/** The first prefix that fits decides. */
const BEHAVIOURS: readonly (readonly [prefix: string, behaviour: Behaviour])[] = [
  ['tck-reject-task', end('rejected', { text: 'rejected as asked' })],
  ['tck-input-required', () => Promise.resolve(ask())],
  ['tck-auth-required', () => Promise.resolve({ ...ask(), state: 'auth-required' })],
  ['tck-complete-task', end('completed', { text: 'Hello from TCK' })],
  ['tck-delayed-complete', workFor(2_000, { text: 'Done after delay' })],
  ['test-resubscribe-message-id', workFor(4_000)],
  ['tck-stream-artifact-chunked', chunks],
  ['tck-stream-artifact-file', artifact({ raw: 'dGNr', media_type: 'text/plain', filename: 'output.txt' })],
  ['tck-stream-001', work({ text: 'Stream hello from TCK' })],
  ['tck-stream-002', end('completed')],
  [
    'tck-artifact-file-url',
    artifact({ url: 'https://example.com/output.txt', media_type: 'text/plain', filename: 'output.txt' }),
  ],
  ['tck-artifact-file', artifact({ raw: 'dGNr', media_type: 'text/plain', filename: 'output.txt' })],
  ['tck-artifact-data', artifact({ data: { key: 'value', count: 42 } })],
  ['tck-', work({ text: 'Generated text content' })],
];

function end(state: 'completed' | 'rejected', ...parts: Part[]): Behaviour {
  return () => Promise.resolve({ end: state, ...(parts.length > 0 && { parts }) });
}

function ask() {
  return { ask: {}, message: 'send another message to go on' } satisfies RunOutcome;
}

const ARTIFACT: Pick<Artifact, 'artifact_id' | 'name'> = { artifact_id: 'output', name: 'output' };

function artifact(part: Part): Behaviour {
  return async (context) => {
    await context.emit({ artifact: { ...ARTIFACT, parts: [part] } });
    return { end: 'completed' };
  };
}

function work(part: Part): Behaviour {
  return async (context) => {
    await context.emit({ parts: [{ text: 'working' }] });
    return artifact(part)(context);
  };
}

async function chunks(context: RunContext): Promise<RunOutcome> {
  await context.emit({ parts: [{ text: 'working' }] });
  await context.emit({ artifact: { ...ARTIFACT, parts: [{ text: 'chunk-1 ' }], append: true } });
  await context.emit({ artifact: { ...ARTIFACT, parts: [{ text: 'chunk-2' }], append: true, last_chunk: true } });
  return { end: 'completed' };
}

/** Works for so long, in milliseconds, that a client can do something meanwhile. */
function workFor(durationMs: number, ...parts: Part[]): Behaviour {
  return async (context) => {
    await context.emit({ parts: [{ text: 'working' }] });
    const until = Date.parse(context.run.updated_at) + durationMs;
    return context.now() < until ? { waitUntil: until } : end('completed', ...parts)(context);
  };
}

async function hesitate(context: RunContext): Promise<RunOutcome> {
  await context.emit({ parts: [{ text: 'working' }] });
  return ask();
}
