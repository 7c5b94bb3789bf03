import { eitherCredential, recordedCredentials } from '../../directory/credential/authentication.ts';
import type { Credentials } from '../../directory/credential/authentication.ts';
import { keysNow } from '../../directory/api-key/keys-now.ts';
import { tokenCallers } from '../../directory/oauth/token-caller.ts';
import { currentRequest } from '../../platform/request-context.ts';
import { limitedCredentials } from '../../platform/security/limited-credentials.ts';
import type { Core } from './compose.ts';
import type { OAuth } from './oauth.ts';

/** What opens an edge that organizations call. */
export interface EdgeCredentials {
  credentials: Credentials;
  /** The same with nothing remembered, for what is open already. */
  now: Credentials;
}

/** API keys, and access tokens made for the resource at this path; wrong ones are counted, and all refusals are on record. */
export function edgeCredentials(core: Core, oauth: OAuth, path: '/a2a' | '/mcp'): EdgeCredentials {
  const { authenticator, budgets, clock, security, store } = core;
  const either = eitherCredential(authenticator, tokenCallers(store, oauth.verifierOf(path)));
  const look = limitedCredentials((credential) => either.authenticate(credential), { budgets, clock });
  const limited: Credentials = {
    ...either,
    authenticate: (credential) => look(credential, { address: currentRequest()?.address ?? '' }),
  };
  return {
    credentials: recordedCredentials(limited, security),
    now: eitherCredential(keysNow(core), tokenCallers(store, oauth.freshVerifierOf(path))),
  };
}
