import { isUtf8 } from 'node:buffer';
import { checkStructure } from './check-structure.ts';
import { notJson, tooLargeValue } from './input-refusal.ts';
import { ANY_SHAPE, checkShape } from './json-shape.ts';
import type { Shape } from './json-shape.ts';
import { parseJsonInSlices, TooLargePieceError } from './parse-json-in-slices.ts';

export interface JsonRules {
  /** Default {@link ANY_SHAPE}. */
  shape?: Shape;
  /** Refuses text that no store keeps as it is: half a surrogate pair, U+0000. Default false. */
  isStored?: boolean;
}

export interface ParsedJson {
  text: string;
  value: unknown;
}

/**
 * The one place where JSON from outside becomes values (rule S1): UTF-8 (RFC 8259), within the limits, and every key kept,
 * `__proto__` too.
 * @throws {InputRefusal}
 */
export function parseJson(bytes: Buffer, { shape = ANY_SHAPE, isStored = false }: JsonRules = {}): ParsedJson {
  if (!isUtf8(bytes)) throw notJson();
  checkShape(bytes, shape);
  const text = bytes.toString('utf8');
  const value = valueOf(text);
  if (isStored && HAS_UNSTORABLE.test(text)) checkStructure(value, shape);
  return { text, value };
}

/** A larger body is parsed in slices. */
const AT_ONCE_BYTES = 100_000;

/**
 * The same of a body that may be large and is an object, with turns of the event loop in between. No value in it, or in an object of it,
 * may be larger than 1 MiB, but for a list.
 * @throws {InputRefusal}
 */
export async function parseLargeJson(bytes: Buffer, shape: Shape): Promise<unknown> {
  if (bytes.length <= AT_ONCE_BYTES) return parseJson(bytes, { shape }).value;
  checkShape(bytes, shape);
  try {
    return await parseJsonInSlices(bytes, { levels: 2 });
  } catch (error) {
    throw error instanceof TooLargePieceError ? tooLargeValue() : notJson();
  }
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notJson();
  }
}

/** Escapes of a surrogate or of U+0000; most of what it finds is in order. */
const HAS_UNSTORABLE = /\\u(?:d[89a-f]|0000)/i;
