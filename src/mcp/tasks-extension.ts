import { CLIENT_CAPABILITIES_META_KEY, MissingRequiredClientCapabilityError } from '@modelcontextprotocol/server';
import { isObject } from '../platform/json-object.ts';
import type { JsonObject } from '../platform/json-object.ts';

/** MCP's extension by which a call may answer with a task (SEP-2663, of 2026-07-28). */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** As capabilities have it, the server's as well as a client's: there is nothing to be set. */
export const TASKS_CAPABILITY = { extensions: { [TASKS_EXTENSION]: {} } };

/** What the client says of itself on this very request, which alone counts. Pure. */
export interface Declared {
  /** It takes a task for an answer. */
  tasks: boolean;
  /** It can put a question to a person, and have a form filled in. */
  forms: boolean;
}

/** @param params of a request of 2026-07-28; whether they are well-formed is for the SDK to say. */
export function declaredIn(params: unknown): Declared {
  const { extensions, elicitation } = within(within(params, '_meta'), CLIENT_CAPABILITIES_META_KEY);
  return {
    tasks: isObject(extensions) && isObject(extensions[TASKS_EXTENSION]),
    // Without a word on which kinds of questions, it means forms.
    forms: isObject(elicitation) && ('form' in elicitation || !('url' in elicitation)),
  };
}

/** The refusal of methods of the extension for who has not declared it. */
export function undeclared(): MissingRequiredClientCapabilityError {
  const message = `declare ${TASKS_EXTENSION} among the client's capabilities, on this request`;
  return new MissingRequiredClientCapabilityError({ requiredCapabilities: TASKS_CAPABILITY }, message);
}

function within(value: unknown, key: string): JsonObject {
  const found = isObject(value) ? value[key] : undefined;
  return isObject(found) ? found : {};
}
