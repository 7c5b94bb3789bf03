/**
 * Why a body is no JSON, for whoever published it: by line and column, and never in its own words. Linear, in one go: for what is small.
 */
export function whyNotJson(body: Buffer): string {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return 'body is not json: it is no text in UTF-8';
  }
  if (text.trim() === '') return 'body is not json: it is empty';
  const at = firstFault(text) ?? text.length;
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  const column = at - before.lastIndexOf('\n');
  return `body is not json: ${at === text.length ? 'it ends too early, ' : ''}see line ${line}, column ${column}`;
}

/** White space, and one token after it. */
const TOKEN =
  /[ \t\n\r]*(?:([{}[\],:])|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/y;

/** What may come next, and within what. */
type Next = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | 'more';

/** Where a text stops being the beginning of JSON; undefined where it is JSON. */
export function firstFault(text: string): number | undefined {
  const within: ('[' | '{')[] = [];
  let next: Next = 'value';
  let at = 0;
  for (;;) {
    const start = at + blanks(text, at);
    if (start === text.length) return next === 'more' && within.length === 0 ? undefined : start;
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text);
    const after: Next | undefined = found ? step(next, within, found[1], found[2] !== undefined) : undefined;
    if (after === undefined) return start;
    next = after;
    at = TOKEN.lastIndex;
  }
}

function blanks(text: string, at: number): number {
  let count = 0;
  while (' \t\n\r'.includes(text.charAt(at + count)) && at + count < text.length) count++;
  return count;
}

/** What may come after this token, or undefined where it may not stand here. */
function step(next: Next, within: ('[' | '{')[], mark: string | undefined, isText: boolean): Next | undefined {
  const inside = within.at(-1);
  if (next === ':') return mark === ':' ? 'value' : undefined;
  if (next === 'more' && mark === ',' && inside !== undefined) return inside === '[' ? 'value' : 'key';
  const closes = (mark === ']' && inside === '[') || (mark === '}' && inside === '{');
  if (closes && (next === 'more' || next === 'value or ]' || next === 'key or }')) {
    within.pop();
    return 'more';
  }
  if (next === 'key' || next === 'key or }') return isText ? ':' : undefined;
  if (next === 'more') return undefined;
  if (mark === undefined) return 'more';
  if (mark !== '[' && mark !== '{') return undefined;
  within.push(mark);
  return mark === '[' ? 'value or ]' : 'key or }';
}
