import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '../caller.ts';
import { recordRefusal } from '../../platform/security/record-refusal.ts';
import type { SecurityLog } from '../../platform/security/security-log.ts';
import { CredentialRefusal, MissingCredential } from './credential-refusal.ts';

/** Who holds a credential; undefined when it is unknown, expired or revoked. @throws when that cannot be found out. */
export interface Credentials {
  /** @param since when it was good, in milliseconds, where something it opened is still open; see `LookAgain`. */
  authenticate(credential: string, since?: number): Promise<Caller | undefined>;
  /** Who comes without a credential, where that is allowed. */
  anonymous?(): Caller;
}

/** API keys and, when `tokens` are given, access tokens (JWTs), told apart by their form (rule R13). */
export function eitherCredential(keys: Credentials, tokens: Credentials | undefined): Credentials {
  if (tokens === undefined) return keys;
  return { authenticate: (credential, since) => (isJwt(credential) ? tokens : keys).authenticate(credential, since) };
}

/** The compact serialization of RFC 7515, whose header is a JSON object. */
export function isJwt(credential: string): boolean {
  return /^eyJ[\w-]*\.[\w-]+\.[\w-]+$/.test(credential);
}

/** Credentials whose refusals are on record: which kind it was, and never a part of it. */
export function recordedCredentials(credentials: Credentials, security: SecurityLog): Credentials {
  return {
    ...credentials,
    async authenticate(credential) {
      const caller = await credentials.authenticate(credential).catch((error: unknown) => {
        recordRefusal(security, error, {});
        throw error;
      });
      const target = isJwt(credential) ? 'access token' : 'API key';
      if (caller === undefined) security.record('credential.refused', { target });
      return caller;
    },
  };
}

/** The header that carries a bare API key, for clients that cannot set `Authorization`. */
export const API_KEY_HEADER = 'X-API-Key';

/** The header in which clients of the public protocol send a bare key, some beside `Authorization`, some instead of it. */
export const PUBLIC_KEY_HEADER = 'X-ADCP-Auth';

/**
 * The caller of a request.
 * @throws {CredentialRefusal} when there is no credential or it is not good (rule C.errors.token).
 */
export async function authenticateRequest(headers: IncomingHttpHeaders, credentials: Credentials): Promise<Caller> {
  const credential = credentialOf(headers);
  if (hasTwoCredentials(headers)) {
    throw new CredentialRefusal(
      'rejected',
      'these headers carry different credentials; send one, as Authorization: Bearer <credential>',
    );
  }
  if (credential === undefined) {
    if (credentials.anonymous !== undefined) return credentials.anonymous();
    throw new MissingCredential();
  }
  const caller = await credentials.authenticate(credential);
  if (caller === undefined) {
    throw new CredentialRefusal('rejected', 'this credential is unknown, expired or revoked');
  }
  behind.set(caller, credential);
  return caller;
}

/** Kept aside, since a caller may be logged or stored. */
const behind = new WeakMap<Caller, string>();

/** The credential that a caller came with; undefined for one who came without. */
export function credentialBehind(caller: Caller): string | undefined {
  return behind.get(caller);
}

function credentialOf(headers: IncomingHttpHeaders): string | undefined {
  if (headers.authorization !== undefined) return /^Bearer +([\x21-\x7e]+) *$/i.exec(headers.authorization)?.[1] ?? '';
  return bareKey(headers, API_KEY_HEADER) ?? bareKey(headers, PUBLIC_KEY_HEADER);
}

/** Whether a request carries no credential at all, not even a bad one. */
export function isWithoutCredential(headers: IncomingHttpHeaders): boolean {
  return credentialOf(headers) === undefined;
}

/** Which of two was meant cannot be known: one may be a proxy's, or an old one. */
function hasTwoCredentials(headers: IncomingHttpHeaders): boolean {
  const other = bareKey(headers, PUBLIC_KEY_HEADER);
  return other !== undefined && other !== credentialOf(headers);
}

function bareKey(headers: IncomingHttpHeaders, header: string): string | undefined {
  const key = headers[header.toLowerCase()];
  return typeof key === 'string' ? key : undefined;
}

/** The `WWW-Authenticate` of a 401 (RFC 6750, RFC 9728, rule R13). */
export function bearerChallenge(headers: IncomingHttpHeaders, resourceMetadataUrl: string | undefined): string {
  const parameters = [
    ...(resourceMetadataUrl === undefined ? [] : [`resource_metadata="${resourceMetadataUrl}"`]),
    ...(credentialOf(headers) === undefined ? [] : ['error="invalid_token"']),
  ];
  return parameters.length === 0 ? 'Bearer' : `Bearer ${parameters.join(', ')}`;
}
