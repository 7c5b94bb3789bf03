import { isObject } from '../platform/json-object.ts';
import { compactJson, scanJson } from '../platform/json-scan.ts';
import type { JsonPath } from '../platform/json-scan.ts';
import { verbatim, verbatimText } from '../platform/json-text.ts';

/**
 * Puts the text of each `context` of a skill's input in the place of what it was parsed to (rule W19), which the SDK carries on
 * as any string. In place; answers the value.
 * @param text what the value was parsed from.
 * @param isContext whether a `context` is one: by default, where the bodies of both generations have it.
 */
export function keepContexts(text: string, value: unknown, isContext = isOfMessage): unknown {
  if (!MAY_HAVE_ONE.test(text)) return value;
  scanJson(text, {
    member(path, start, end) {
      if (path.at(-1) !== 'context' || !isOfInput(path) || !isContext(path)) return;
      const holder = at(value, path.slice(0, -1));
      // Of a key that stands twice the last one counts, as it does to the parser.
      if (!isObject(holder) || !(isObject(holder['context']) || verbatimText(holder['context']) !== undefined)) return;
      holder['context'] = verbatim(compactJson(text.slice(start, end)));
    },
  });
  return value;
}

/** A key may be written with escapes. */
const MAY_HAVE_ONE = /"context"|\\u/;

function isOfInput(path: JsonPath): boolean {
  const holder = path.at(-2);
  return holder === 'input' || holder === 'parameters';
}

/** `message.parts[0].data.input.context`; HTTP+JSON of 0.3 says `content` for `parts`, and `data` twice. */
function isOfMessage(path: JsonPath): boolean {
  const [message, parts, index, ...rest] = path[0] === 'params' ? path.slice(1) : path;
  return (
    (message === 'message' || message === 'request') &&
    (parts === 'parts' || parts === 'content') &&
    typeof index === 'number' &&
    rest.slice(0, -2).every((step) => step === 'data') &&
    [3, 4].includes(rest.length)
  );
}

function at(value: unknown, path: JsonPath): unknown {
  return path.reduce<unknown>((inner, step) => {
    if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, step)) return undefined;
    return (inner as Record<string | number, unknown>)[step];
  }, value);
}
