import { once } from 'node:events';
import express from 'express';
import { Agent, request } from 'undici';
import { z } from 'zod';
import { generateSigningKey } from '../../src/webhooks/signing/signing-key.ts';
import { signRequest } from '../../src/webhooks/signing/http-signature.ts';
import { protocolNames } from '../../src/platform/protocol-name.ts';
import { mcpEnvelope } from '../../src/webhooks/envelope/envelope-mcp.ts';

/**
 * What every peer does alike: an HTTP handler that checks a buy of three packages with zod, and webhooks in the envelope the
 * agent sends, signed by the agent's own signer (RFC 9421, Ed25519) and posted by undici.
 */

const names = protocolNames('adcp');
const key = generateSigningKey('ed25519', { names });
const dispatcher = new Agent({ connections: 64 });

const Package = z.object({
  buyer_ref: z.string().min(1).max(255),
  product_id: z.string().min(1).max(255),
  pricing_option_id: z.string().min(1).max(255),
  budget: z.number().positive(),
});
const Buy = z.object({
  id: z.uuid(),
  url: z.url(),
  buyer_ref: z.string().min(1).max(255),
  brand_manifest: z.object({ name: z.string(), url: z.url() }),
  packages: z.array(Package).min(1).max(100),
  start_time: z.object({ type: z.literal('asap') }),
  end_time: z.iso.datetime(),
});

/** Serves `POST /`: a buy is checked, given to `accept`, and its id answered. Prints where, as a line of JSON. */
export async function serve(accept) {
  const app = express();
  app.use(express.json());
  app.post('/', async (incoming, response) => {
    const read = Buy.safeParse(incoming.body);
    if (!read.success) return response.status(400).json({ error: z.prettifyError(read.error) });
    await accept(read.data);
    response.json({ id: read.data.id });
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  console.log(JSON.stringify({ base_url: `http://127.0.0.1:${server.address().port}` }));
  process.on('SIGTERM', () => process.exit(0));
}

/** The bytes of one webhook, which every attempt at it sends. */
export function bodyOf({ id, status, idempotency_key, result }) {
  return JSON.stringify(
    mcpEnvelope({
      ...{ idempotency_key, task_id: id, task_type: 'create_media_buy', status, result },
      ...{ timestamp: new Date().toISOString(), message: `create_media_buy ${status}` },
    }),
  );
}

/** Signs and posts; answers the status. */
export async function send(url, text) {
  const body = Buffer.from(text);
  const headers = signRequest({ url, body, key, names, now: Date.now() });
  const answer = await request(url, { method: 'POST', headers, body, dispatcher });
  await answer.body.dump();
  if (answer.statusCode >= 300) throw new Error(`the receiver answered ${answer.statusCode}`);
  return answer.statusCode;
}

/** What a buy that was booked is told with. */
export function resultOf(buy) {
  return {
    media_buy_id: `mb_${buy.id}`,
    buyer_ref: buy.buyer_ref,
    status: 'active',
    packages: buy.packages.map(({ buyer_ref, product_id, budget }, i) => ({
      package_id: `pkg_${i}`,
      buyer_ref,
      product_id,
      budget,
    })),
  };
}
