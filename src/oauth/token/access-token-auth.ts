import { decodeJwt, errors, jwtVerify, SignJWT } from 'jose';
import type { OAuthContext } from '../context.ts';
import type { Grant } from '../grant/grant.ts';
import { TOKEN_ALG } from '../keys/token-key-set.ts';
import type { TokenKeySet } from '../keys/token-key-set.ts';

export const ACCESS_TOKEN_SECONDS = 600;

/** Signs an access token of a grant (RFC 9068). `scopes` are those of the grant, or fewer. */
export async function signAccessToken(
  { baseUrl, clock, ids }: Pick<OAuthContext, 'baseUrl' | 'clock' | 'ids'>,
  keySet: TokenKeySet,
  grant: Grant,
  scopes: readonly string[],
): Promise<string> {
  const { kid, privateKey } = await keySet.signer();
  const now = Math.floor(clock.now() / 1000);
  return new SignJWT({
    client_id: grant.client_id,
    scope: scopes.join(' '),
    auth_time: grant.auth_time,
    email: grant.email,
    email_verified: true,
    grant_id: grant.grant_id,
    ...(grant.organization_id !== null && { organization_id: grant.organization_id }),
  })
    .setProtectedHeader({ alg: TOKEN_ALG, typ: 'at+jwt', kid })
    .setIssuer(baseUrl)
    .setSubject(grant.subject)
    .setAudience(grant.resource)
    .setJti(ids.newId())
    .setIssuedAt(now)
    .setExpirationTime(now + ACCESS_TOKEN_SECONDS)
    .sign(privateKey);
}

/** The grant of an access token that this server signed, expired or not; undefined for anything else. */
export async function grantOfAccessToken(
  { baseUrl }: Pick<OAuthContext, 'baseUrl'>,
  keySet: TokenKeySet,
  token: string,
): Promise<string | undefined> {
  try {
    const { exp = 0 } = decodeJwt(token);
    const { payload } = await jwtVerify(token, keySet.keys, {
      issuer: baseUrl,
      typ: 'at+jwt',
      algorithms: [TOKEN_ALG],
      currentDate: new Date((exp - 1) * 1000),
    });
    return typeof payload['grant_id'] === 'string' ? payload['grant_id'] : undefined;
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined;
    throw error;
  }
}
