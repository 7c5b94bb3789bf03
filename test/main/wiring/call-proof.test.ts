import { describe, expect, it, onTestFinished } from 'vitest';
import type { CallToProve } from '../../../src/adservers/http/http-ad-server.ts';
import { callProof } from '../../../src/main/wiring/call-proof.ts';
import { createOutbound } from '../../../src/platform/outbound/outbound-client.ts';
import { protocolNames } from '../../../src/platform/protocol-name.ts';
import { signCall } from '../../../src/webhooks/calls/call-signature.ts';
import { generateSigningKey } from '../../../src/webhooks/signing/signing-key.ts';
import { clientAt, serveApp, serveBridge } from '../../adservers/http/support/bridge.ts';
import { keptAdServer } from '../../adservers/http/support/kept-ad-server.ts';
import type { KeptAdServer } from '../../adservers/http/support/kept-ad-server.ts';
import { anOrder } from '../../adservers/http/support/samples.ts';

const names = protocolNames();
const key = generateSigningKey('ed25519', { names });
const ANSWERS: KeptAdServer['answers'] = {
  put: { outcome: 'stale', version: 9 },
  read: { found: false },
  inventory: { items: [] },
};

/** An ad server that verifies by what `jwks` answers, and what it was told. */
async function verifying(jwks: () => { status: number; body: string }) {
  const kept = keptAdServer(ANSWERS);
  const outbound = createOutbound({ allowLoopback: true, trustsUrls: true });
  onTestFinished(() => outbound.close());
  const keysUrl = await serveApp((_request, response) => {
    const { status, body } = jwks();
    response.writeHead(status).end(body);
  });
  const url = await serveBridge(kept.adServer, { verify: callProof(keysUrl, outbound) });
  const signedBy = (changes: Partial<Parameters<typeof signCall>[0]> = {}) =>
    clientAt(url, {
      sign: (call: CallToProve) => Promise.resolve(signCall({ ...call, key, now: Date.now(), ...changes })),
    });
  return { url, kept, signedBy };
}

const published = () => ({ status: 200, body: JSON.stringify({ keys: [key.publicJwk] }) });

describe('an ad server that verifies its callers', () => {
  it('takes signed calls of every kind', async () => {
    const { kept, signedBy } = await verifying(published);
    const client = signedBy();
    expect(await client.put(anOrder('../[mb]/1'))).toEqual(ANSWERS.put);
    expect(await client.read(anOrder('~"?').media_buy_id)).toEqual(ANSWERS.read);
    expect(await client.inventory("it's?&=+ 🦊")).toEqual(ANSWERS.inventory);
    expect(kept.calls).toHaveLength(3);
  });

  it('refuses what is forged, altered or not signed, before it has it in its hands', async () => {
    const { url, kept, signedBy } = await verifying(published);
    const forger = { ...generateSigningKey('ed25519', { names }), kid: key.kid };
    const refused = [
      clientAt(url),
      signedBy({ key: forger }),
      signedBy({ body: Buffer.from('another') }),
      signedBy({ url: 'http://elsewhere.example/v1/orders/mb_1' }),
      signedBy({ now: Date.now() - 3_600_000 }),
    ];
    for (const client of refused) {
      await expect(client.put(anOrder('mb_1'))).rejects.toMatchObject({
        name: 'Misconfigured',
        message: expect.stringContaining('is answered 401: signature: ') as string,
      });
    }
    expect(kept.calls).toEqual([]);
  });

  it('is away while it cannot have the keys, and goes on with those it had', async () => {
    let answer = { status: 503, body: '{}' };
    const { signedBy } = await verifying(() => answer);
    const { media_buy_id } = anOrder('mb_1');
    await expect(signedBy().read(media_buy_id)).rejects.toMatchObject({ name: 'Unreachable' });
    answer = { status: 200, body: 'no JSON' };
    await expect(signedBy().read(media_buy_id)).rejects.toMatchObject({ name: 'Unreachable' });
    answer = published();
    expect(await signedBy().read(media_buy_id)).toEqual(ANSWERS.read);
    answer = { status: 500, body: '' };
    expect(await signedBy().read(media_buy_id)).toEqual(ANSWERS.read);
  });

  it('is not called by an agent that cannot sign now', async () => {
    const { url, kept } = await verifying(published);
    const client = clientAt(url, { sign: () => Promise.reject(new Error('the store is away')) });
    await expect(client.put(anOrder('mb_1'))).rejects.toMatchObject({ name: 'Unreachable', sent: 'no' });
    expect(kept.calls).toEqual([]);
  });
});
