import { describe, expect, it } from 'vitest';
import { classify } from '../../../src/webhooks/delivery/classify.ts';
import type { AttemptVerdict } from '../../../src/webhooks/delivery/classify.ts';

const progress = {
  address: '192.0.2.1',
  reused: false,
  timings: { dns_ms: 0, connect_ms: 0, tls_ms: 0, first_byte_ms: 0, total_ms: 0 },
};
const answer = (status: number, headers: Record<string, string> = {}) =>
  classify({ kind: 'response', status, headers, body: Buffer.from('receiver text'), truncated: false, ...progress });

describe('[W6] what an answer means', () => {
  it.each<[AttemptVerdict, number[]]>([
    ['delivered', [200, 201, 202, 204, 226, 299]],
    ['retry', [401, 408, 425, 429, 500, 501, 502, 503, 504, 599]],
    ['gone', [410]],
    ['rejected', [300, 301, 302, 303, 304, 307, 308, 400, 402, 403, 404, 405, 409, 411, 413, 415, 418, 422, 451, 499]],
    ['retry', [600, 999]],
  ])('%s: %j', (verdict, statuses) => {
    for (const status of statuses) expect([status, answer(status).verdict]).toEqual([status, verdict]);
  });

  it('[W6] retries timeouts and connection errors, also when the head of an answer had come', () => {
    expect(classify({ kind: 'timeout', phase: 'body', status: 200, ...progress })).toMatchObject({
      verdict: 'retry',
      status: 'timeout',
      http_status_code: 200,
    });
    expect(classify({ kind: 'connection_error', reason: 'connection reset', ...progress })).toMatchObject({
      verdict: 'retry',
      status: 'connection_error',
      error_message: 'connection reset',
    });
    expect(classify({ kind: 'refused', reason: 'private address' })).toMatchObject({
      verdict: 'retry',
      status: 'connection_error',
      error_message: 'address refused: private address',
    });
  });

  it.each([
    ['Signature error="webhook_signature_key_unknown"', 'webhook_signature_key_unknown'],
    ['Signature error=webhook_signature_invalid', 'webhook_signature_invalid'],
    ['Bearer realm="x", Signature realm="y" error="webhook_signature_replayed"', 'webhook_signature_replayed'],
    ['signature error="webhook_signature_invalid"', 'webhook_signature_invalid'],
    ['Bearer error="invalid_token"', undefined],
    ['Signature error="<script>"', undefined],
    [`Signature error="${'a'.repeat(2000)}"`, undefined],
  ])('[W6] of a 401 saying %s the code is %s', (challenge, code) => {
    expect(answer(401, { 'www-authenticate': challenge }).signature_error).toBe(code);
  });

  it('[W6] reads no signature error out of another status', () => {
    expect(answer(403, { 'www-authenticate': 'Signature error="webhook_signature_invalid"' })).not.toHaveProperty(
      'signature_error',
    );
  });

  it('[W11] explains in its own words and repeats nothing of the receiver', () => {
    for (const status of [302, 404, 500]) expect(JSON.stringify(answer(status))).not.toContain('receiver text');
  });
});
