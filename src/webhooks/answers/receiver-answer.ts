import { z } from 'zod';
import { OrganizationId } from '../../platform/organization-id.ts';
import type { CollectionSpec } from '../../platform/store/collection.ts';

/** How long an answer is kept, in milliseconds (rule W8.answers). */
export const ANSWER_RETENTION_MS = 7 * 24 * 3_600_000;

/** The last answer that was no 2xx, of one organization's receiver. */
export const ReceiverAnswer = z.strictObject({
  /** Of organization and destination. */
  answer_id: z.string(),
  organization_id: OrganizationId,
  /** Scheme, host and port. */
  destination: z.string(),
  /** What it answered. */
  delivery_id: z.string(),
  /** When that attempt began. */
  answered_at: z.string(),
  http_status_code: z.int(),
  text: z.string(),
  is_cut: z.boolean(),
  expires_at: z.string(),
  revision: z.int(),
});
export type ReceiverAnswer = z.infer<typeof ReceiverAnswer>;

export const ReceiverAnswers: CollectionSpec<ReceiverAnswer> = {
  name: 'receiver_answers',
  key: 'answer_id',
  schema: ReceiverAnswer,
  indexes: [{ name: 'by_destination', fields: ['destination', 'answered_at'] }],
  expires: 'expires_at',
};

const { delivery_id, answered_at, http_status_code } = ReceiverAnswer.shape;

/** The same as the operator and its buyer are shown it. */
export const ShownAnswer = z.object({
  delivery_id: delivery_id.describe('The webhook that it answered'),
  answered_at,
  http_status_code,
  text: z
    .string()
    .describe(
      "The receiver's own words, nobody's to be trusted: the first KiB of the body, with stars for what is secret; empty where there was no body, or none that can be read",
    ),
  is_cut: z.boolean().describe('There was more of it, or it cannot be read'),
});
export type ShownAnswer = z.infer<typeof ShownAnswer>;

/** Of a webhook's receiver, whichever webhook of that buyer's it answered. */
export const LastAnswer = ShownAnswer.nullable().describe(
  "The receiver's last answer to this buyer that was no 2xx, of 7 days; null where there is none, or none is kept",
);

export function shownAnswer(row: ReceiverAnswer | undefined): ShownAnswer | null {
  return row === undefined ? null : ShownAnswer.parse(row);
}
