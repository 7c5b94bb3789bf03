import { decodedStart } from '../../platform/outbound/content-encoding.ts';
import type { ResponseResult } from '../../platform/outbound/outbound-result.ts';
import { withoutSecrets } from './without-secrets.ts';

/** So much of an answer is kept, in bytes of UTF-8 (rule W8.answers). */
export const MOST_KEPT = 1_024;

/** So much of it is looked at, in bytes: no more of one is read (rule W8). */
const MOST_READ = 16 * 1_024;

/** What may be kept and shown of a receiver's answer. */
export interface AnswerText {
  text: string;
  /** There was more of it, or it cannot be read. */
  is_cut: boolean;
}

/**
 * The beginning of an answer's body as text. Secrets are taken out of all that was read before it is cut, so that none is cut
 * into something that nobody recognizes. What controls rather than shows is left in it: whoever shows it takes care of that.
 */
export async function answerText(result: ResponseResult, secrets: readonly string[]): Promise<AnswerText> {
  const start = await decodedStart(result, MOST_READ);
  if (!start.ok) return { text: '', is_cut: true };
  const bytes = Buffer.from(withoutSecrets(start.body.toString('utf8'), secrets, start.isCut));
  return { text: bytes.toString('utf8', 0, endWithin(bytes)), is_cut: start.isCut || bytes.length > MOST_KEPT };
}

/** Where to cut, not within a character. */
function endWithin(bytes: Buffer): number {
  let end = MOST_KEPT;
  while (end < bytes.length && end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return Math.min(end, bytes.length);
}
