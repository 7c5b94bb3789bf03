import { z } from 'zod';

/** How a receiver answered that did not take a webhook: by the class of the status, or not at all. */
const FailedAnswer = z.enum(['3xx', '4xx', '5xx', 'none']);
type FailedAnswer = z.infer<typeof FailedAnswer>;

/** What a list may be asked for; what was answered with 2xx is delivered. */
export const AnswerAsked = z.enum(['2xx', ...FailedAnswer.options]);
export type AnswerAsked = z.infer<typeof AnswerAsked>;

/** What a row says of its last attempt; nothing where that was taken, so that the index of these holds what failed alone. */
export const LAST_ANSWER = {
  /** Absent where the last attempt was taken, before the first, and in rows of an earlier release until their next attempt. */
  last_answer: FailedAnswer.optional(),
  /** Exactly where `last_answer` is. */
  has_failed: z.literal(true).optional(),
};

interface LastAnswer {
  last_answer?: FailedAnswer;
  has_failed?: true;
}

/** What a row with these attempts says of the last of them. Pure. */
export function lastAnswerOf(
  attempts: readonly { status: string; http_status_code?: number | undefined }[],
): LastAnswer {
  const last = attempts.at(-1);
  if (last === undefined || last.status === 'success') return {};
  // The head of an answer that never ended counts for nothing, nor does what is no HTTP.
  const digit = last.status === 'failed' ? Math.floor((last.http_status_code ?? 0) / 100) : 0;
  return { last_answer: FailedAnswer.catch('none').parse(`${digit}xx`), has_failed: true };
}
