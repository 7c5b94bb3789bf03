import { z } from 'zod';
import type { Sealer } from '../../platform/crypto/sealer.ts';
import type { WebhookMode } from '../../runtime/webhook-modes.ts';
import type { Delivery } from '../delivery/delivery.ts';
import { SentBody, sentBody } from '../delivery/sent-body.ts';

/** What a delivery sends, and how its buyer verifies that by themselves. */
export const BuyerBody = SentBody.extend({
  text: SentBody.shape.text.describe('As it is sent, but for the token that you gave, which is a row of stars'),
  bytes: SentBody.shape.bytes.describe('Of what is sent'),
  content_digest: SentBody.shape.content_digest.describe('The `Content-Digest` of what is sent (RFC 9530)'),
  is_masked: SentBody.shape.is_masked.describe('Whether stars stand in it: then only what you received has the digest'),
  verify: z.object({
    digest: z.string().describe('In a shell: prints the digest of body.json, the bytes as they came'),
    proof: z
      .string()
      .nullable()
      .describe('Verifies head.txt, the headers as they came, and body.json; null where the mode proves no bytes'),
  }),
});
export type BuyerBody = z.infer<typeof BuyerBody>;

/** What a delivery sends, for its buyer. Pure. @param agentUrl Where this agent is reached. */
export function sentToBuyer(sealer: Sealer, row: Delivery, agentUrl: string): BuyerBody {
  return { ...sentBody(sealer, row), verify: { digest: DIGEST, proof: proofOf(row, agentUrl) } };
}

const DIGEST = 'openssl dgst -sha256 -binary body.json | openssl base64 -A';

function proofOf({ mode, dialect }: Delivery, agentUrl: string): string | null {
  const verify = 'npx media-buy-agent verify --headers head.txt --body body.json';
  const byMode: Record<WebhookMode, string | null> = {
    rfc9421: `${verify} --card ${agentUrl}`,
    'hmac-sha256': `${verify} --secret-env WEBHOOK_SECRET`,
    bearer: null,
  };
  const command = byMode[mode];
  return command !== null && dialect !== undefined ? `PROTOCOL_NAME=adcp ${command}` : command;
}
