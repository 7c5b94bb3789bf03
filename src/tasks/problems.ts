import { AppError } from '../platform/errors.ts';
import type { ErrorCode, Issue } from '../platform/errors.ts';
import { fieldPath, jsonPointer } from '../platform/validation.ts';

/** One thing wrong with a request: where in it, what, and how to mend it. */
export interface Problem {
  code: ErrorCode;
  path: readonly PropertyKey[];
  message: string;
  suggestion?: string;
}

/** The refusal of a request: the first problem's code and field, and all of them in `issues` (rule B12). */
export function refusalOf(problems: readonly Problem[]): AppError {
  const first: Problem = problems[0] ?? { code: 'INVALID_REQUEST', path: [], message: 'the request does not hold' };
  const field = fieldPath(first.path);
  return new AppError(first.code, `${field}: ${first.message}`, {
    field,
    ...(first.suggestion !== undefined && { suggestion: first.suggestion }),
    issues: issuesOf(problems),
  });
}

/** As an error lists them. */
export function issuesOf(problems: readonly Problem[]): Issue[] {
  return problems.map(({ path, message }) => ({ pointer: jsonPointer(path), message }));
}
