import type { Message } from '@a2a-js/sdk';
import { invalidRequest } from '../platform/errors.ts';
import { InputRefusal } from '../platform/intake/input-refusal.ts';
import { parseJson } from '../platform/intake/parse-json.ts';
import { isObject } from '../platform/json-object.ts';
import type { JsonObject } from '../platform/json-object.ts';
import { verbatimText } from '../platform/json-text.ts';
import { keepContexts } from './context-text.ts';
import { A2A_SHAPE, protocolError } from './value-check.ts';

/** What a message asks for. */
export interface Invocation {
  /** The task's name; absent in an answer to a question of the agent. */
  skill?: string;
  input?: JsonObject;
  /** The input's `context` as it was written (rule W19), where the wire is JSON. */
  contextText?: string;
  /** Where no skill is named: the one that its words lead to. */
  likeliest?: string;
}

/**
 * Reads a message: exactly one data part `{skill, input}`, where `parameters` is accepted for `input`. Text is advisory
 * and never overrides, except that the JSON of such a part, pasted as the only part, is taken for it. Undefined: the
 * message names no skill.
 * @throws {AppError} `INVALID_REQUEST` naming the field.
 */
export function readInvocation(message: Message): Invocation | undefined {
  const found = message.parts.flatMap(({ content }, index) =>
    content?.$case === 'data' ? [{ data: content.value as unknown, field: `message.parts[${index}].data` }] : [],
  );
  if (found.length > 1) throw invalidRequest(found[1]?.field ?? 'message.parts', 'send exactly one data part');
  const [only] = found;
  if (only === undefined) return pasted(message);
  if (!isObject(only.data)) throw invalidRequest(only.field, 'send an object {skill, input}');
  return fromData(only.data, only.field);
}

function fromData(data: JsonObject, field: string): Invocation {
  const { skill, input, parameters, ...others } = data;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw invalidRequest(`${field}.${unknown}`, 'unknown key; send {skill, input}');
  if (skill !== undefined && typeof skill !== 'string') throw invalidRequest(`${field}.skill`, "send the task's name");
  if (input !== undefined && parameters !== undefined) {
    throw invalidRequest(`${field}.parameters`, 'send input or parameters, not both');
  }
  const given = input ?? parameters;
  if (given !== undefined && !isObject(given)) {
    throw invalidRequest(`${field}.${input === undefined ? 'parameters' : 'input'}`, 'send an object');
  }
  return { ...(skill !== undefined && { skill }), ...(given !== undefined && inputOf(given)) };
}

function inputOf(given: JsonObject): Pick<Invocation, 'input' | 'contextText'> {
  const contextText = verbatimText(given['context']);
  if (contextText === undefined) return { input: given };
  return { input: { ...given, context: JSON.parse(contextText) as unknown }, contextText };
}

/** The examples of the card, pasted into a chat, arrive as text. */
function pasted(message: Message): Invocation | undefined {
  const [part, ...more] = message.parts;
  if (part?.content?.$case !== 'text' || more.length > 0) return undefined;
  const text = part.content.value.trim();
  if (!text.startsWith('{')) return undefined;
  try {
    const { value } = parseJson(Buffer.from(text), { shape: A2A_SHAPE, isStored: true });
    const data = keepContexts(text, value, (path) => path.length === 2);
    return isObject(data) && typeof data['skill'] === 'string' ? fromData(data, 'message.parts[0].text') : undefined;
  } catch (error) {
    if (!(error instanceof InputRefusal)) throw error;
    if (error.refusedFor === 'unreadable') return undefined;
    throw protocolError(error);
  }
}
