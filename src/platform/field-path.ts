/** Of a key that somebody made up, so many characters are repeated to them (rule B12.details). */
const MAX_KEY = 64;

/** Of a key that is empty, so that a path never looks like that of what is around it. */
const NO_NAME = '""';

/** The path of a place in the input as `packages[1].product_id`, long keys cut short; empty for the input itself. */
export function fieldPath(path: readonly PropertyKey[]): string {
  let text = '';
  for (const step of shownPath(path)) {
    if (typeof step === 'number') text += `[${step}]`;
    else text += `${text === '' ? '' : '.'}${step === '' ? NO_NAME : String(step)}`;
  }
  return text;
}

/** A path with its long keys cut short, to be shown. */
export function shownPath(path: readonly PropertyKey[]): PropertyKey[] {
  return path.map((step) => {
    if (typeof step !== 'string' || step.length <= MAX_KEY) return step;
    // Not through the middle of a surrogate pair.
    return `${step.slice(0, MAX_KEY).replace(/[\uD800-\uDBFF]$/, '')}…`;
  });
}

/** The place that a field path of our own making names: the reverse of {@link fieldPath} where no key holds a `.` or `[`. */
export function pathOfField(field: string): PropertyKey[] {
  return [...field.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, key = '']) =>
    index === undefined ? (key === NO_NAME ? '' : key) : Number(index),
  );
}

/** The same place as an RFC 6901 pointer. */
export function jsonPointer(path: readonly PropertyKey[]): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The place that a pointer names; a step of digits alone is taken for an index. */
export function pathOfPointer(pointer: string): PropertyKey[] {
  const steps = pointer.split('/').slice(1);
  return steps.map((step) => (/^\d+$/.test(step) ? Number(step) : step.replaceAll('~1', '/').replaceAll('~0', '~')));
}
