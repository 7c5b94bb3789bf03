import { checkStructure } from '../platform/intake/check-structure.ts';
import { INPUT_LIMITS } from '../platform/intake/input-limits.ts';
import { InputRefusal, nestsDeeper } from '../platform/intake/input-refusal.ts';
import { ANY_SHAPE } from '../platform/intake/json-shape.ts';
import type { Shape } from '../platform/intake/json-shape.ts';
import { ProtocolError } from './failure.ts';

/** Of whatever comes over A2A, on any binding. */
export const A2A_SHAPE: Shape = { ...ANY_SHAPE, textBytes: INPUT_LIMITS.textBytes };

/**
 * Refuses a decoded message that costs too much to look at, or holds text that no store can keep as it is.
 * @throws {ProtocolError}
 */
export function checkValue(value: unknown): void {
  asProtocol(() => {
    checkStructure(value, A2A_SHAPE);
  });
}

export function tooDeep(): ProtocolError {
  return protocolError(nestsDeeper(A2A_SHAPE.depth));
}

/** @throws {ProtocolError} in the place of what the gate refuses. */
export function asProtocol<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof InputRefusal ? protocolError(error) : error;
  }
}

/** What the gate refuses, as A2A says it. */
export function protocolError({ refusedFor, message, details }: InputRefusal): ProtocolError {
  return new ProtocolError(refusedFor === 'unreadable' ? 'PARSE_ERROR' : 'INVALID_REQUEST', message, details);
}
