import type { Creative, CreativeReasonCode } from '../creative.ts';

/** What the review is shown. `version` tells a creative that was sent again from the one before. */
export type ReviewSubject = Pick<
  Creative,
  | 'organization_id'
  | 'account_id'
  | 'creative_id'
  | 'version'
  | 'name'
  | 'format_id'
  | 'assets'
  | 'tags'
  | 'status'
  | 'submitted_at'
  | 'updated_at'
>;

/**
 * What the review says. `askAgainAtMs` is when to ask next: while nothing is decided, or to look at an approved creative
 * again later. Reasons are shown to the buyer.
 */
export type ReviewAnswer =
  | { verdict: 'undecided'; askAgainAtMs: number }
  | { verdict: 'approved'; askAgainAtMs?: number }
  | { verdict: 'rejected' | 'suspended'; reason: string; reason_code: CreativeReasonCode; askAgainAtMs?: number };

/**
 * The port a seller's creative review fills. Asked about one version at a time, again and again until it decides; asked
 * twice it must not begin two reviews. `suspended` is an answer for a creative that was approved. A fault (a throw) is
 * asked again later.
 */
export interface CreativeReview {
  review(subject: ReviewSubject, nowMs: number): Promise<ReviewAnswer>;
}
