import { parseInput } from '../platform/validation.ts';
import { targetingProblems } from '../sales/targeting/targeting-problems.ts';
import type { TargetingChecks } from '../sales/targeting/targeting-problems.ts';
import { TargetingOverlay } from '../sales/targeting/targeting-overlay.ts';
import type { Problem } from '../platform/errors.ts';

/**
 * What is wrong with the targeting of a stored request (rule B14). `at`: its place in the request.
 * @throws {AppError} `VALIDATION_ERROR` for one of no known form: a task that 0.1.0 took may hold any object.
 */
export function askedTargeting(
  overlay: TargetingOverlay,
  checks: TargetingChecks,
  at: readonly PropertyKey[],
): Problem[] {
  return targetingProblems(parseInput(TargetingOverlay, overlay, at), checks, at);
}
