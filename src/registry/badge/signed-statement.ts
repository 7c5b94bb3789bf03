import { SignJWT } from 'jose';
import { fromTimestamp } from '../../platform/clock.ts';
import type { DocumentSigner } from '../../platform/crypto/document-signer.ts';
import type { BadgeVerdict } from './subject.ts';

/** A statement holds for a day at most, in milliseconds. */
const MOST_MS = 24 * 3_600_000;

/** An agent that does not answer keeps its badge for two days after the last check that passed; a statement ends with them. */
const AFTER_CHECK_MS = 48 * 3_600_000;

export interface SignedStatement {
  issued_at_ms: number;
  expires_at_ms: number;
  /** A JWT in compact form (RFC 7519) of the type `agent-verification+jwt`. */
  jwt: string;
}

/**
 * Says, signed, that an agent was verified: who says so (`iss`), of which agent (`sub`), role and release, on which proof, when it was
 * last checked, and until when to believe it (`exp`). Undefined for what is not verified: nobody signs that.
 */
export async function signedStatement(
  { agent_url, role, version, verified, badge }: BadgeVerdict,
  { kid, alg, jku, privateKey }: DocumentSigner,
  { issuer, nowMs }: { issuer: string; nowMs: number },
): Promise<SignedStatement | undefined> {
  if (!verified || badge === undefined) return undefined;
  const expires_at_ms = Math.min(nowMs + MOST_MS, fromTimestamp(badge.passed_at) + AFTER_CHECK_MS);
  if (expires_at_ms <= nowMs) return undefined;
  const told = { role, version, step: 'verified', proof: badge.proof, checked_at: badge.passed_at };
  const jwt = await new SignJWT(told)
    .setProtectedHeader({ alg, kid, jku, typ: 'agent-verification+jwt' })
    .setIssuer(issuer)
    .setSubject(agent_url)
    .setIssuedAt(Math.floor(nowMs / 1000))
    .setExpirationTime(Math.floor(expires_at_ms / 1000))
    .sign(privateKey);
  return { issued_at_ms: nowMs, expires_at_ms, jwt };
}
