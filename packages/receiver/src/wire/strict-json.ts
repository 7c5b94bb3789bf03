const BACKSLASH = 92;
const QUOTE = 34;

/**
 * The value of a JSON text in UTF-8, or undefined in `value` when it is not JSON, not UTF-8, begins with a byte-order
 * mark, or any object in it, however deep, has a name twice: two parsers could then read two different events
 * (rule W12, step 14, RFC 8259 section 4).
 */
export function parseStrictJson(bytes: Uint8Array): { value: unknown } | undefined {
  try {
    // A byte-order mark stays, for JSON.parse to refuse.
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    return hasDuplicateName(text) ? undefined : { value };
  } catch {
    return undefined;
  }
}

/** An object being read: the names so far (one alone needs no set), and whether a name comes next. */
interface OpenObject {
  first: string | undefined;
  names: Set<string> | undefined;
  isNameNext: boolean;
}

/** Whether any object of this *valid* JSON text has a name twice, after unescaping. One pass, no recursion. */
export function hasDuplicateName(json: string): boolean {
  const open: (OpenObject | undefined)[] = [];
  let current: OpenObject | undefined;
  for (let at = 0; at < json.length; at += 1) {
    switch (json[at]) {
      case '"': {
        const end = endOfString(json, at);
        if (current?.isNameNext === true) {
          if (isRepeated(current, nameOf(json.slice(at, end + 1)))) return true;
          current.isNameNext = false;
        }
        at = end;
        break;
      }
      case '{':
        open.push(current);
        current = { first: undefined, names: undefined, isNameNext: true };
        break;
      case '[':
        open.push(current);
        current = undefined;
        break;
      case '}':
      case ']':
        current = open.pop();
        break;
      case ',':
        if (current !== undefined) current.isNameNext = true;
        break;
    }
  }
  return false;
}

function isRepeated(object: OpenObject, name: string): boolean {
  if (object.first === undefined) {
    object.first = name;
    return false;
  }
  object.names ??= new Set([object.first]);
  if (object.names.has(name)) return true;
  object.names.add(name);
  return false;
}

/** Index of the quote that ends the string beginning at `start`. */
function endOfString(json: string, start: number): number {
  let at = start + 1;
  for (;;) {
    const code = json.charCodeAt(at);
    if (code === QUOTE || Number.isNaN(code)) return at;
    at += code === BACKSLASH ? 2 : 1;
  }
}

function nameOf(quoted: string): string {
  return quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1);
}
