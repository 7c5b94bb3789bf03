import { AppError } from '../../platform/errors.ts';
import type { Operation } from '../operator/operation.ts';
import { operations } from '../operator/operations.ts';

/** What forms of the console do: every action there is. */
const ACTIONS = operations.filter(({ action }) => action !== undefined);

/** The action at a path, and the parameters in it. @throws {AppError} `NOT_FOUND`. */
export function actionAt(path: string): { operation: Operation; params: Record<string, string> } {
  const steps = path.split('/');
  for (const operation of ACTIONS) {
    const params = matchedSteps(operation.path.split('/'), steps);
    if (params !== undefined) return { operation, params };
  }
  throw new AppError('NOT_FOUND', 'the console does no such thing');
}

/** The parameters of a pattern in a path, both cut at their slashes; undefined where the path is another. */
export function matchedSteps(pattern: readonly string[], steps: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== steps.length) return undefined;
  const params: Record<string, string> = {};
  for (const [i, part] of pattern.entries()) {
    const step = steps[i] ?? '';
    if (part.startsWith(':')) params[part.slice(1)] = decoded(step);
    else if (part !== step) return undefined;
  }
  return params;
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

/** What actions are called on record, by the alphabet. */
export function actionNames(): string[] {
  return ACTIONS.flatMap(({ action }) => action ?? []).sort();
}

/** What is called so; whatever else stands in an address is never told back. */
export function actionNamed(name: string): Operation | undefined {
  return ACTIONS.find(({ action }) => action === name);
}
