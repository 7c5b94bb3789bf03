import { RequestMalformedError } from '@a2a-js/sdk/errors';
import { failureOf } from './failure.ts';

/**
 * What the SDK is given in the place of anything thrown: nothing in it is secret. Only its place is needed, since each binding
 * writes what was thrown itself.
 */
export function sdkError(error: unknown): Error {
  return new RequestMalformedError(failureOf(error).message);
}
