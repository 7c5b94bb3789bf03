import { z } from 'zod';
import { invalidRequest } from '../platform/errors.ts';
import type { JsonObject } from '../platform/json-object.ts';
import { parseInput } from '../platform/validation.ts';
import { AWAITING_SKILL } from '../runtime/awaiting-skill.ts';
import type { InboundMessage } from '../runtime/content.ts';
import { isInterrupted } from '../runtime/states.ts';
import { currentStatus } from '../runtime/task-run.ts';
import type { TaskRun } from '../runtime/task-run.ts';

/** What a client sends in answer to questions, by their keys. Of what answers no question that is open, nothing is looked at. */
export const InputResponses = z.record(z.string(), z.unknown());
export type InputResponses = z.infer<typeof InputResponses>;

const Response = z.looseObject({ action: z.enum(['accept', 'decline', 'cancel']), content: z.unknown().optional() });

/** The question that a task puts to its caller, as MCP has one put to a person, under a key that no other question of it has. */
export interface TaskQuestion {
  key: string;
  /** Of the status that asks it. */
  sequence: number;
  request: JsonObject;
}

/**
 * What a task asks of its caller; undefined where it asks nothing, and where it waits for its skill to be named, which no person
 * is asked: such a conversation began over A2A. Pure.
 */
export function questionOf(run: TaskRun): TaskQuestion | undefined {
  if (!isInterrupted(run.state) || run.task_type === AWAITING_SKILL) return undefined;
  const { message, sequence } = currentStatus(run);
  const params = { mode: 'form', message, requestedSchema: FORM };
  return { key: `question-${sequence}`, sequence, request: { method: 'elicitation/create', params } };
}

const FORM = {
  type: 'object',
  properties: { answer: { type: 'string', title: 'Answer', minLength: 1 } },
  required: ['answer'],
};

/**
 * The message that a task goes on with; undefined where a person would not answer, which leaves the question as it stands. There is
 * one message to a question, whatever it says: of two answers the first one counts.
 * @throws {AppError} `INVALID_REQUEST`, `VALIDATION_ERROR`.
 */
export function answerTo(
  { key }: TaskQuestion,
  { task_id }: TaskRun,
  responses: InputResponses,
): InboundMessage | undefined {
  if (!Object.hasOwn(responses, key)) return undefined;
  const { action, content } = parseInput(Response, responses[key], ['params', 'inputResponses', key]);
  if (action !== 'accept') return undefined;
  const { success, data } = Filled.safeParse(content);
  if (!success) throw invalidRequest(`params.inputResponses.${key}.content.answer`, 'send the answer as text');
  const message_id = `${task_id}-${key}`;
  const wire = { messageId: message_id, role: 'ROLE_USER', parts: [{ text: data.answer }] };
  return { message_id, message_key: message_id, wire };
}

const Filled = z.looseObject({ answer: z.string().trim().min(1) });
