import {
  nestsDeeper,
  notStorable,
  tooLongText,
  tooManyElements,
  tooManyInAll,
  tooManyMembers,
  tooManyValues,
} from './input-refusal.ts';
import type { Shape } from './json-shape.ts';

/**
 * Refuses a decoded value that costs too much to look at, or that no store can keep as it is: half a surrogate pair and U+0000
 * are changed or cut off silently. For what did not come as JSON; of what did, see `parseJson`.
 * @throws {InputRefusal}
 */
export function checkStructure(value: unknown, shape: Shape): void {
  const { depth: deepest, members, allMembers, elements, values, textBytes = Infinity } = shape;
  let known = 0;
  let knownKeys = 0;

  function checkText(text: string): void {
    // A character has at most three bytes for each of its units.
    if (text.length * 3 > textBytes && Buffer.byteLength(text) > textBytes) throw tooLongText(textBytes);
    if (UNSTORABLE.test(text)) throw notStorable();
  }

  function checkBelow(inner: unknown, depth: number): void {
    if (typeof inner === 'string') {
      checkText(inner);
      return;
    }
    if (typeof inner !== 'object' || inner === null || ArrayBuffer.isView(inner)) return;
    if (depth === deepest) throw nestsDeeper(deepest);
    if (++known > values) throw tooManyValues(values);
    if (Array.isArray(inner)) {
      if (inner.length > elements) throw tooManyElements(elements);
      known += inner.length;
      for (const element of inner) checkBelow(element, depth + 1);
      return;
    }
    const entries = Object.entries(inner);
    if (entries.length > members) throw tooManyMembers(members);
    known += entries.length;
    knownKeys += entries.length;
    if (knownKeys > allMembers) throw tooManyInAll(allMembers);
    for (const [name, member] of entries) {
      checkText(name);
      checkBelow(member, depth + 1);
    }
  }

  checkBelow(value, 0);
}

const UNSTORABLE = /\p{Surrogate}|\u0000/u;
