import { ProtocolError } from './failure.ts';

/** Arrays and objects within each other that any message can need; more would exhaust the stack of whoever walks them. */
export const DEEPEST = 64;

export function tooDeep(): ProtocolError {
  return new ProtocolError('INVALID_REQUEST', `the body nests deeper than ${DEEPEST} levels`);
}

/**
 * Refuses a decoded body that no store can keep as it is.
 * @throws {ProtocolError} when it nests deeper than {@link DEEPEST}, or a text in it holds half a surrogate pair or U+0000,
 * which stores change or cut off silently.
 */
export function checkValue(value: unknown, depth = 0): void {
  if (typeof value === 'string') {
    if (!/\p{Surrogate}|\u0000/u.test(value)) return;
    throw new ProtocolError('INVALID_REQUEST', 'a text holds half a surrogate pair or the character U+0000');
  }
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return;
  if (depth === DEEPEST) throw tooDeep();
  for (const [name, member] of Object.entries(value)) {
    checkValue(name);
    checkValue(member, depth + 1);
  }
}
