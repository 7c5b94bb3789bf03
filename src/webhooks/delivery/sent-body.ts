import { createHash } from 'node:crypto';
import { z } from 'zod';
import { registeredUrl } from '../../platform/crypto/sealed-url.ts';
import type { Sealer } from '../../platform/crypto/sealer.ts';
import { sealedFor } from '../registration/webhook-target.ts';
import type { Delivery } from './delivery.ts';

/** The bytes of a delivery, which are the same on every attempt. */
export const SentBody = z.object({
  /** As it is sent, but for the buyer's token, which is a row of stars. */
  text: z.string(),
  /** Of what is sent. */
  bytes: z.int(),
  /** The `Content-Digest` of what is sent (RFC 9530). */
  content_digest: z.string(),
  is_masked: z.boolean(),
});
export type SentBody = z.infer<typeof SentBody>;

/** What a delivery sends. Pure. */
export function sentBody(sealer: Sealer, row: Delivery): SentBody {
  const sent = row.is_body_sealed ? sealer.open(row.body, sealedFor(registeredUrl(sealer, row.url))) : row.body;
  const bytes = Buffer.from(sent);
  const text = row.is_body_sealed ? withoutToken(sent) : sent;
  const digest = createHash('sha256').update(bytes).digest('base64');
  return { text, bytes: bytes.length, content_digest: `sha-256=:${digest}:`, is_masked: text !== sent };
}

/** A body with stars for the buyer's token (rule W5), wherever that stands in it. */
function withoutToken(text: string): string {
  const { token } = JSON.parse(text) as { token?: unknown };
  if (typeof token !== 'string' || token === '') return STARS;
  return text.replaceAll(JSON.stringify(token).slice(1, -1), STARS);
}

const STARS = '********';
