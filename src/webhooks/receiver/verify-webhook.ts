import { protocolNames } from '../../platform/protocol-name.ts';
import { refusal } from './codes.ts';
import type { Refusal } from './codes.ts';
import { preCheck } from './pre-checks.ts';
import { headerReader } from './received-request.ts';
import type { ReceivedRequest } from './received-request.ts';
import { verifySignature } from './schemes/rfc9421.ts';
import type { Verified } from './schemes/rfc9421.ts';
import type { VerifyOptions } from './verify-rules.ts';

/**
 * Verifies a webhook signed by RFC 9421 on its raw bytes and headers: content type, size and mode first, then the
 * fourteen steps of rule W12 in their order, stopping at the first failure.
 *
 * Never throws, whatever the input: a refusal carries its code and the HTTP status to answer with, and a resolver or
 * store that fails gives `webhook_verifier_unavailable` with 503, so that the sender tries again.
 */
export async function verifyWebhook(request: ReceivedRequest, options: VerifyOptions): Promise<Verified | Refusal> {
  try {
    const { names = protocolNames() } = options;
    const early = preCheck(headerReader(request.headers), request.rawBody.byteLength, 'rfc9421', names);
    return early === undefined ? await verifySignature(request, options) : refusal(early);
  } catch {
    return refusal('webhook_verifier_unavailable');
  }
}
