import { createHash } from 'node:crypto';
import { z } from 'zod';
import { registeredUrl } from '../../platform/crypto/sealed-url.ts';
import type { Sealer } from '../../platform/crypto/sealer.ts';
import type { AgentIdentity } from '../keys/documents.ts';
import { sealedFor } from '../registration/webhook-target.ts';
import type { Delivery } from './delivery.ts';
import { headOf } from './sent-head.ts';
import { verifyCommands, VerifyCommands } from './verify-commands.ts';

/** What a delivery sends, the same on every attempt, and how whoever sees it verifies that by themselves. */
export const SentBody = z.object({
  text: z.string().describe("As it is sent, but for the buyer's token, which is a row of stars"),
  bytes: z.int().describe('Of what is sent'),
  content_digest: z
    .string()
    .describe(
      'The digest of what is sent as RFC 9530 writes it, which is what openssl prints; the header `Content-Digest` says the same in base64url without padding',
    ),
  is_masked: z.boolean().describe('Whether stars stand in it: then only what the receiver got has the digest'),
  head: z
    .array(z.string())
    .nullable()
    .describe(
      'The lines that the last attempt was signed with: request line and headers; null where the mode signs none, and for what an earlier release sent',
    ),
  verify: VerifyCommands,
});
export type SentBody = z.infer<typeof SentBody>;

export interface SentBodyDependencies {
  sealer: Sealer;
  identity: Pick<AgentIdentity, 'publicBaseUrl'>;
}

/** What a delivery sends. Pure. @param shown What of a URL those who look may see. */
export function sentBody(
  { sealer, identity }: SentBodyDependencies,
  row: Delivery,
  shown: (url: string) => string,
): SentBody {
  const url = registeredUrl(sealer, row.url);
  const sent = row.is_body_sealed ? sealer.open(row.body, sealedFor(url)) : row.body;
  const bytes = Buffer.from(sent);
  const text = row.is_body_sealed ? withoutToken(sent) : sent;
  const digest = createHash('sha256').update(bytes).digest('base64');
  const content_digest = `sha-256=:${digest}:`;
  const is_masked = text !== sent;
  const head = headOf(row, { url, shown, bytes });
  return {
    ...{ text, bytes: bytes.length, content_digest, is_masked },
    head: head?.lines ?? null,
    verify: verifyCommands(row, {
      agentUrl: identity.publicBaseUrl,
      body: is_masked ? undefined : bytes,
      digest,
      head,
    }),
  };
}

/** A body with stars for the buyer's token (rule W5), wherever that stands in it. */
function withoutToken(text: string): string {
  const token = tokenIn(text);
  return token === undefined ? STARS : text.replaceAll(JSON.stringify(token).slice(1, -1), STARS);
}

/** The buyer's token in the text of a body that has one. */
export function tokenIn(text: string): string | undefined {
  const { token } = JSON.parse(text) as { token?: unknown };
  return typeof token !== 'string' || token === '' ? undefined : token;
}

/** Stand for what is not shown. */
export const STARS = '********';
