import { z } from 'zod';
import type { WebhookMode } from '../../runtime/webhook-modes.ts';
import type { Delivery } from './delivery.ts';
import type { SentHead } from './sent-head.ts';

/** Where the command that verifies is found: elsewhere `npx` asks npm for a package that is not there. */
export const WHERE_NPX_FINDS_IT =
  'npx media-buy-agent runs in a checkout of this agent, or where the package that npm pack makes of one is installed: it is not on npm.';

/** Commands for a shell, by which those who see what was sent, or got it, verify it. */
export const VerifyCommands = z.object({
  digest: z.string().describe('In a shell: prints the digest of body.json, the bytes as they came'),
  proof: z
    .string()
    .nullable()
    .describe(
      `Verifies head.txt, the headers as they came, and body.json; null where the mode proves no bytes. ${WHERE_NPX_FINDS_IT}`,
    ),
  whole: z
    .string()
    .describe(
      'To be copied as a whole: writes what is shown into body.json and head.txt, and ends with exit status 0 if it verifies. Where stars stand in the bytes it takes body.json as it came; where the signature was not kept, or part of the URL is not shown, it compares the digest alone',
    ),
  proves: z.enum(['signature', 'digest']).describe('What `whole` verifies'),
});
export type VerifyCommands = z.infer<typeof VerifyCommands>;

interface Sent {
  /** Where the agent is reached. */
  agentUrl: string;
  /** What is sent; undefined where it is not shown. */
  body: Buffer | undefined;
  /** Its SHA-256 in base64. */
  digest: string;
  head: SentHead | undefined;
}

/** How a delivery is verified. Pure. */
export function verifyCommands(row: Delivery, { agentUrl, body, digest, head }: Sent): VerifyCommands {
  const proof = proofOf(row, agentUrl);
  const bytes = body === undefined ? [] : [`printf '%b' ${quoted(body)} > body.json`];
  if (head?.url === undefined || proof === null) {
    const compare = `test "$(${DIGEST})" = '${digest}' && echo verified`;
    return { digest: DIGEST, proof, whole: joined([...bytes, compare]), proves: 'digest' };
  }
  const lines = head.lines.map((line) => quoted(Buffer.from(`${line}\n`))).join(' ');
  const verify = `${proof} --url '${head.url.replaceAll("'", String.raw`'\\''`)}' --at ${head.at}`;
  const whole = joined([...bytes, `printf '%b' ${lines} > head.txt`, verify]);
  return { digest: DIGEST, proof, whole, proves: 'signature' };
}

const DIGEST = 'openssl dgst -sha256 -binary body.json | openssl base64 -A';

function joined(commands: readonly string[]): string {
  return commands.join(' &&\n');
}

/**
 * Bytes as the argument that `printf %b` makes them of, in printable ASCII alone: what is copied off a page is what was written there,
 * whatever stands in the bytes.
 */
function quoted(bytes: Buffer): string {
  const escaped = Array.from(bytes, (byte) => {
    if (byte === BACKSLASH) return '\\\\';
    if (byte === APOSTROPHE || byte < SPACE || byte > TILDE) return `\\0${byte.toString(8).padStart(3, '0')}`;
    return String.fromCharCode(byte);
  });
  return `'${escaped.join('')}'`;
}

const [SPACE, APOSTROPHE, BACKSLASH, TILDE] = [0x20, 0x27, 0x5c, 0x7e];

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
