import { contentDigest } from '../signing/content-digest.ts';
import type { Delivery } from './delivery.ts';
import { wireUrl } from './wire-url.ts';

/** What an attempt was signed with, as far as those who look may see it. */
export interface SentHead {
  /** The request line, then a header each. */
  lines: string[];
  /** Where it was sent, if all of that is shown: without it nobody can verify the signature. */
  url: string | undefined;
  /** When it was sent. */
  at: string;
}

/** The head of the last attempt whose signature was kept. Pure. */
export function headOf(
  { attempts }: Delivery,
  { url, shown, bytes }: { url: string; shown: (url: string) => string; bytes: Uint8Array },
): SentHead | undefined {
  const last = attempts.findLast(({ signed }) => signed !== undefined);
  if (last?.signed === undefined) return undefined;
  const sent = wireUrl(url);
  const seen = shown(sent);
  const isWhole = seen === sent;
  const { origin, host } = new URL(sent);
  return {
    lines: [
      `POST ${seen.slice(origin.length)}${isWhole ? '' : HIDDEN} HTTP/1.1`,
      `Host: ${host}`,
      'Content-Type: application/json',
      `Content-Digest: ${contentDigest(bytes)}`,
      `Signature-Input: ${last.signed.input}`,
      `Signature: ${last.signed.signature}`,
    ],
    url: isWhole ? sent : undefined,
    at: last.started_at,
  };
}

/** Stands where something of the URL is not shown, and is no part of one. */
const HIDDEN = '…';
