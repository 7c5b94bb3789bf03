import type { Attempt } from '../../webhooks/delivery/delivery.ts';

/** What an attempt that failed most likely means, and who can mend it. Undefined where there is nothing to say. Pure. */
export function adviceOn(
  last: Pick<Attempt, 'status' | 'http_status_code' | 'error_message' | 'signature_error'> | undefined,
): string | undefined {
  if (last === undefined || last.status === 'success') return undefined;
  const { http_status_code: code, error_message: why = '', signature_error } = last;
  if (signature_error !== undefined)
    return 'The receiver does not take our signature. The buyer should fetch our keys anew, check its clock, and verify the bytes as they came.';
  if (code === 401 || code === 403)
    return 'The receiver wants another proof of who sends. The buyer should look at the credentials it registered.';
  if (code === 404) return 'Nothing is at this address. The buyer should register another one.';
  if (code === 410)
    return 'The receiver says it is gone for good: the registration has ended. The buyer must register again.';
  if (code === 429) return 'The receiver asks for fewer: it is tried again when it says, and nothing is lost.';
  if (code !== undefined && code >= 500)
    return 'The receiver fails by itself. It is tried again; the buyer should look into its own log.';
  if (code !== undefined && code >= 300 && code < 400)
    return 'The receiver sends us elsewhere, and redirects are not followed. The buyer should register the last address.';
  if (last.status === 'timeout') return 'The receiver took too long. It should answer first, and then do its work.';
  if (/refused|reset|ECONN/i.test(why))
    return 'Nobody listens there, or hangs up. The buyer should see that its receiver runs.';
  if (/cert|tls|ssl/i.test(why))
    return 'The receiver’s certificate is not good: expired, of another name, or of an authority that nobody knows.';
  if (/private|loopback|not allowed|address/i.test(why))
    return 'The address is one that nothing is sent to. OUTBOUND_ALLOW opens networks of one’s own.';
  return undefined;
}
