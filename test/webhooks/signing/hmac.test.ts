import { expect, it } from 'vitest';
import { protocolNames } from '../../../src/platform/protocol-name.ts';
import { signHmac } from '../../../src/webhooks/signing/hmac.ts';
import vectors from './vectors.json' with { type: 'json' };

it.each(vectors.hmac)(
  '[C.webhook.hmac] legacy HMAC is signed as an independent implementation does: $signature',
  (vector) => {
    const { secret, timestamp, signature } = vector;
    const signed = signHmac({
      body: Buffer.from(vector.body),
      secret,
      now: timestamp * 1000 + 999,
      names: protocolNames(),
    });
    expect(signed).toEqual({ 'X-PROTO-Signature': signature, 'X-PROTO-Timestamp': String(timestamp) });
  },
);
