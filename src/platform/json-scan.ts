/** Where a value stands in a JSON text: keys and indexes from the top. */
export type JsonPath = readonly (string | number)[];

export interface JsonVisitor {
  /** The value of a key, `start` up to `end` in the text, once it is over. The path is only lent. */
  member?(path: JsonPath, start: number, end: number): void;
  /** A key that its object has had before. The path is only lent. */
  repeated?(path: JsonPath): void;
}

/**
 * Goes through a JSON text that a parser has found to be valid, once from front to back, without recursion and without making
 * its values. Of any other text it reports nonsense, and ends all the same.
 */
export function scanJson(text: string, visitor: JsonVisitor): void {
  const path: (string | number)[] = [];
  const starts: number[] = [];
  const keys: (Set<string> | undefined)[] = [];
  let isKeyNext = false;

  function over(end: number): number {
    const start = starts.at(-1);
    if (start !== undefined && typeof path.at(-1) === 'string') visitor.member?.(path, start, end);
    return end;
  }

  function open(first: string | number): void {
    path.push(first);
    starts.push(-1);
    keys.push(first === '' && visitor.repeated ? new Set() : undefined);
    isKeyNext = first === '';
  }

  /** Takes the key that begins here; answers where its value does. */
  function take(at: number): number {
    const end = endOfString(text, at);
    const raw = text.slice(at, end);
    const key = raw.includes('\\') ? unescaped(raw) : raw.slice(1, -1);
    path[path.length - 1] = key;
    const known = keys.at(-1);
    if (known?.has(key) === true) visitor.repeated?.(path);
    known?.add(key);
    isKeyNext = false;
    const value = afterSpace(text, afterSpace(text, end) + 1);
    starts[starts.length - 1] = value;
    return value;
  }

  let at = 0;
  while (at < text.length) {
    switch (text[at]) {
      case '"':
        at = isKeyNext ? take(at) : over(endOfString(text, at));
        break;
      case '{':
        open('');
        at++;
        break;
      case '[':
        open(0);
        at++;
        break;
      case '}':
      case ']':
        path.pop();
        starts.pop();
        keys.pop();
        isKeyNext = false;
        at = over(at + 1);
        break;
      case ',': {
        const last = path.at(-1);
        if (typeof last === 'number') path[path.length - 1] = last + 1;
        else isKeyNext = true;
        at++;
        break;
      }
      case ' ':
      case '\t':
      case '\n':
      case '\r':
        at++;
        break;
      default:
        at = over(endOfWord(text, at));
    }
  }
}

function unescaped(raw: string): string {
  try {
    return JSON.parse(raw) as string;
  } catch {
    return raw.slice(1, -1);
  }
}

/** The same JSON text without white space between its tokens. */
export function compactJson(text: string): string {
  const pieces: string[] = [];
  let from = 0;
  let at = 0;
  while (at < text.length) {
    if (text[at] === '"') at = endOfString(text, at);
    else if (isSpace(text[at])) {
      pieces.push(text.slice(from, at));
      from = at = afterSpace(text, at);
    } else at++;
  }
  return pieces.length === 0 ? text : pieces.join('') + text.slice(from);
}

/** The place behind the string that begins here. */
export function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

/** The place behind a number, `true`, `false` or `null`. */
function endOfWord(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && !BEHIND_WORDS.has(text[at] ?? '')) at++;
  return at;
}

const BEHIND_WORDS: ReadonlySet<string> = new Set([',', ':', '{', '}', '[', ']', '"', ' ', '\t', '\n', '\r']);

function afterSpace(text: string, start: number): number {
  let at = start;
  while (isSpace(text[at])) at++;
  return at;
}

function isSpace(char: string | undefined): boolean {
  return char === ' ' || char === '\n' || char === '\r' || char === '\t';
}
