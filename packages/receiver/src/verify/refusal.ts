/** Why a webhook was refused. The 401s are the checklist's own (rule W12, in its order). */
export const REFUSAL_STATUS = {
  webhook_mode_mismatch: 401,
  webhook_signature_header_malformed: 401,
  webhook_signature_params_incomplete: 401,
  webhook_signature_tag_invalid: 401,
  webhook_signature_alg_not_allowed: 401,
  webhook_signature_window_invalid: 401,
  webhook_signature_components_incomplete: 401,
  webhook_signature_key_unknown: 401,
  webhook_signature_key_purpose_invalid: 401,
  webhook_signature_key_revoked: 401,
  webhook_signature_revocation_stale: 401,
  webhook_signature_rate_abuse: 401,
  webhook_target_uri_malformed: 401,
  webhook_signature_invalid: 401,
  webhook_signature_digest_mismatch: 401,
  webhook_signature_replayed: 401,
  webhook_body_malformed: 401,
  /** The content type is not `application/json`, or the body is compressed. */
  webhook_content_type_unsupported: 415,
  webhook_body_too_large: 413,
  /** Not the sender's fault: keys, nonces or events could not be looked up. Worth a retry. */
  webhook_verifier_unavailable: 503,
} as const;

export type RefusalCode = keyof typeof REFUSAL_STATUS;

/** What a refusal answers to the sender, and what it tells the receiver's own people. */
export interface Refusal {
  ok: false;
  code: RefusalCode;
  status: (typeof REFUSAL_STATUS)[RefusalCode];
  /** What exactly was found, in words for logs; the sender is not told. */
  reason?: string;
}

export function refusal(code: RefusalCode, reason?: string): Refusal {
  return { ok: false, code, status: REFUSAL_STATUS[code], ...(reason !== undefined && { reason }) };
}

/** What could not be looked up just now: the webhook is answered 503, and the sender tries again. */
export function unavailable(error: unknown): Refusal {
  return refusal('webhook_verifier_unavailable', error instanceof Error ? error.message : 'something failed');
}

/** The `WWW-Authenticate` header of a 401 (rule C.webhook.signatures.6); the code and nothing more. */
export function challenge(code: string): string {
  return `Signature error="${code}"`;
}
