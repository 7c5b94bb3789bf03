import type { Problem } from '../platform/errors.ts';
import { INPUT_LIMITS } from '../platform/intake/input-limits.ts';
import { scanJson } from '../platform/json-scan.ts';
import { verbatim } from '../platform/json-text.ts';

/** The largest `context` that is taken, in bytes of compact JSON (rule W19). */
const MAX_CONTEXT_BYTES = INPUT_LIMITS.contextBytes;

/** Of the keys that stand twice, so many are named. */
const MAX_NAMED = 10;
/** Of a key's name, so much is shown, in characters. */
const SHOWN = 64;

/** What a request carried to be echoed, and how it was written; rows of 0.1.0 and calls over gRPC have no text. */
interface Carried {
  context?: unknown;
  context_text?: string | undefined;
}

/** The `context` as an answer or a webhook echoes it (rule W19); undefined when there was none. */
export function echoed({ context, context_text }: Carried): unknown {
  return context_text === undefined ? context : verbatim(context_text);
}

/** The same as it is kept, in the fields of a row. */
export function kept({ context, context_text }: Carried): Carried {
  return {
    ...(context !== undefined && { context }),
    ...(context_text !== undefined && { context_text }),
  };
}

/** What is wrong with a `context` (rule W19): its size, and keys that stand twice. */
export function contextProblems({ context, context_text }: Carried): readonly Problem[] {
  if (context === undefined) return [];
  if (Buffer.byteLength(context_text ?? JSON.stringify(context)) > MAX_CONTEXT_BYTES) {
    const message = `send at most ${MAX_CONTEXT_BYTES} bytes of compact JSON`;
    return [{ code: 'VALIDATION_ERROR', path: ['context'], message }];
  }
  if (context_text === undefined) return [];
  const problems: Problem[] = [];
  scanJson(context_text, {
    repeated(path) {
      if (problems.length >= MAX_NAMED) return;
      const shown = path.map((step) => (typeof step === 'string' ? step.slice(0, SHOWN) : step));
      const message = 'this key stands twice in its object; send it once';
      problems.push({ code: 'VALIDATION_ERROR', path: ['context', ...shown], message });
    },
  });
  return problems;
}
