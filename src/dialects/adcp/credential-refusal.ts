import { CredentialRefusal, MissingCredential } from '../../directory/credential/credential-refusal.ts';
import type { AppError } from '../../platform/errors.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import { publicErrorOf } from './errors.ts';
import { NEWEST, releaseOr, SERVED_BY_DEFAULT } from './release.ts';
import type { Release, ReleaseChoice } from './release.ts';

/** The refusal of who needs a credential for a request that has been read. */
class StrangerRefusal extends MissingCredential {
  readonly release: Release;
  constructor(release: Release) {
    super();
    this.release = release;
  }
}

/** The refusal of who has sent a public request, and no credential: in the release that it asks for. */
export function needsCredential(request: JsonObject, releases: ReleaseChoice): AppError {
  return new StrangerRefusal(releaseOr(SERVED_BY_DEFAULT, request, releases).release);
}

/**
 * The refusal of a credential in the public protocol's words, which a 401 tells beside ours; undefined for any other error. It comes
 * before the request is read, so it is in those of the newest release, unless the request is known ({@link needsCredential}). Pure.
 */
export function credentialRefused(error: AppError): JsonObject | undefined {
  if (!(error instanceof CredentialRefusal)) return undefined;
  return publicErrorOf(error, error instanceof StrangerRefusal ? error.release : NEWEST);
}
