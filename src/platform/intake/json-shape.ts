import { fieldPath } from '../field-path.ts';
import { INPUT_LIMITS } from './input-limits.ts';
import {
  nestsDeeper,
  tooLongText,
  tooManyElements,
  tooManyInAll,
  tooManyMembers,
  tooManyValues,
} from './input-refusal.ts';

/** How large a body's parts may be; see {@link INPUT_LIMITS}. */
export interface Shape {
  depth: number;
  members: number;
  allMembers: number;
  elements: number;
  values: number;
  /** Of one text as it is written, in bytes; absent: as many as the body. */
  textBytes?: number;
}

export const ANY_SHAPE: Shape = {
  depth: INPUT_LIMITS.depth,
  members: INPUT_LIMITS.members,
  allMembers: INPUT_LIMITS.allMembers,
  elements: INPUT_LIMITS.elements,
  values: INPUT_LIMITS.values,
};

/** Of a file that publishers write by the thousand properties; see {@link INPUT_LIMITS}. */
export const ADAGENTS_SHAPE: Shape = {
  ...ANY_SHAPE,
  allMembers: INPUT_LIMITS.adagentsMembers,
  values: INPUT_LIMITS.adagentsValues,
};

/**
 * Refuses JSON of a shape that costs too much to look at, in one pass over its bytes and before anything is made of them. Bytes
 * that are no JSON pass, or are refused; whoever parses them tells.
 * @throws {InputRefusal} at the first place that is too much.
 */
export function checkShape(bytes: Uint8Array, shape: Shape): void {
  const { depth: deepest, members, allMembers, elements, values, textBytes = Infinity } = shape;
  const isObject = new Uint8Array(deepest + 1);
  /** Of each open array or object: commas so far, and where its last key begins. */
  const commas = new Uint32Array(deepest + 1);
  const keys = new Uint32Array(deepest + 1);
  let depth = 0;
  let known = 0;
  let knownKeys = 0;
  let isKeyNext = false;
  const at = (below: number) => placeOf(bytes, { isObject, commas, keys }, below);

  for (let i = 0; i < bytes.length; i++) {
    switch (bytes[i]) {
      case QUOTE: {
        const start = i;
        if (isKeyNext) {
          keys[depth] = start;
          if (++knownKeys > allMembers) throw tooManyInAll(allMembers);
        }
        i = endOfText(bytes, start);
        if (i - start - 1 > textBytes) throw tooLongText(textBytes, isKeyNext ? at(depth - 1) : at(depth));
        isKeyNext = false;
        break;
      }
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        if (depth === deepest) throw nestsDeeper(deepest);
        depth++;
        if (++known > values) throw tooManyValues(values);
        isKeyNext = bytes[i] === OPEN_OBJECT;
        isObject[depth] = isKeyNext ? 1 : 0;
        commas[depth] = 0;
        break;
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        if (depth > 0) depth--;
        isKeyNext = false;
        break;
      case COMMA: {
        if (++known > values) throw tooManyValues(values);
        const count = (commas[depth] ?? 0) + 1;
        commas[depth] = count;
        isKeyNext = isObject[depth] === 1 && depth > 0;
        if (isKeyNext && count >= members) throw tooManyMembers(members, at(depth - 1));
        if (!isKeyNext && count >= elements) throw tooManyElements(elements, at(depth - 1));
      }
    }
  }
}

/** The place of the quotation mark that ends the text which begins here. */
function endOfText(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

interface Open {
  isObject: Uint8Array;
  commas: Uint32Array;
  keys: Uint32Array;
}

/** The path of what stands now in the open array or object of this depth. */
function placeOf(bytes: Uint8Array, { isObject, commas, keys }: Open, depth: number): string {
  const path: PropertyKey[] = [];
  for (let level = 1; level <= depth; level++) {
    const start = keys[level] ?? 0;
    path.push(isObject[level] === 1 ? keyIn(bytes.subarray(start, endOfText(bytes, start) + 1)) : (commas[level] ?? 0));
  }
  return fieldPath(path);
}

function keyIn(written: Uint8Array): string {
  const text = Buffer.from(written).toString('utf8');
  try {
    return String(JSON.parse(text));
  } catch {
    return text.slice(1, -1);
  }
}

const [QUOTE, BACKSLASH, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT, COMMA] = Buffer.from('"\\[]{},');
