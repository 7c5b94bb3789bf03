/** One thing wrong with a package's targeting. `path` is where in the request, `message` what and how to mend it. */
export interface TargetingProblem {
  code: 'UNSUPPORTED_FEATURE' | 'INVALID_REQUEST';
  path: readonly PropertyKey[];
  message: string;
  suggestion?: string;
}
