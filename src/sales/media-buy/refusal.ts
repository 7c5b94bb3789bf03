import { AppError } from '../../platform/errors.ts';
import { fieldPath, jsonPointer } from '../../platform/validation.ts';
import type { PricingProblem } from './package-pricing.ts';

/** The error that tells a buyer every problem: code, field and message of the first, all of them in `issues` (decisions B12). */
export function refusalOf(problems: readonly PricingProblem[]): AppError {
  const [first] = problems;
  if (first === undefined) throw new RangeError('a refusal needs a problem');
  const field = fieldPath(first.path);
  return new AppError(first.code, `${field}: ${first.message}`, {
    field,
    ...(first.suggestion !== undefined && { suggestion: first.suggestion }),
    issues: problems.map(({ path, message }) => ({ pointer: jsonPointer(path), message })),
  });
}
