import type { CreativeReview, ReviewAnswer, ReviewSubject } from './creative-review.ts';

/** Words in a creative's name, tags or assets that tell the simulated review what to do. */
export const REVIEW_MARKERS = {
  reject: 'sim-reject',
  hold: 'sim-hold',
  suspend: 'sim-suspend',
  fraud: 'sim-fraud',
} as const;

/** How often an undecided creative is asked about again. */
const HOLD_MS = 3_600_000;

/**
 * The embedded review: approves what has been in review for `delayMs`. A creative marked `sim-reject` is rejected then,
 * one marked `sim-hold` never decided (until a person does), one marked `sim-suspend` or `sim-fraud` suspended another
 * `delayMs` after it was approved.
 */
export function simulatedReview({ delayMs }: { delayMs: number }): CreativeReview {
  return {
    review(subject, nowMs) {
      return Promise.resolve(answer(subject, nowMs, delayMs));
    },
  };
}

function answer(subject: ReviewSubject, nowMs: number, delayMs: number): ReviewAnswer {
  const isMarked = (marker: string) => textOf(subject).includes(marker);
  if (subject.status === 'approved') return later(subject, nowMs, delayMs, isMarked);
  if (isMarked(REVIEW_MARKERS.hold)) return { verdict: 'undecided', askAgainAtMs: nowMs + HOLD_MS };
  const decidedAtMs = Date.parse(subject.submitted_at) + delayMs;
  if (nowMs < decidedAtMs) return { verdict: 'undecided', askAgainAtMs: decidedAtMs };
  if (isMarked(REVIEW_MARKERS.reject)) {
    const reason = `the simulated review rejects what is marked ${REVIEW_MARKERS.reject}`;
    return { verdict: 'rejected', reason, reason_code: 'content_rejected' };
  }
  const isWatched = isMarked(REVIEW_MARKERS.suspend) || isMarked(REVIEW_MARKERS.fraud);
  return { verdict: 'approved', ...(isWatched && { askAgainAtMs: nowMs + delayMs }) };
}

/** A second look at what was approved: only marked creatives are asked for. */
function later(
  subject: ReviewSubject,
  nowMs: number,
  delayMs: number,
  isMarked: (marker: string) => boolean,
): ReviewAnswer {
  const suspendAtMs = Date.parse(subject.updated_at) + delayMs;
  if (nowMs < suspendAtMs) return { verdict: 'approved', askAgainAtMs: suspendAtMs };
  const reason_code = isMarked(REVIEW_MARKERS.fraud) ? 'fraud' : 'policy_violation';
  if (reason_code !== 'fraud' && !isMarked(REVIEW_MARKERS.suspend)) return { verdict: 'approved' };
  return { verdict: 'suspended', reason: 'the simulated review suspends what is so marked', reason_code };
}

function textOf({ name, tags, assets }: ReviewSubject): string {
  return JSON.stringify([name, tags, assets]).toLowerCase();
}
