import { toTimestamp } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/log.ts';
import type { RecheckDependencies } from '../../media-buy/recheck.ts';
import type { Creative } from '../creative.ts';
import { settleEffects } from '../effects.ts';
import { isLegalCreativeTransition, transitionCreative } from '../transitions.ts';
import type { CreativeReview, ReviewAnswer } from './creative-review.ts';

export interface ReviewDependencies extends RecheckDependencies {
  review: CreativeReview;
  log: Logger;
}

const BATCH = 100;
/** When a review that failed to answer is asked again. */
const FAULT_MS = 30_000;
/** A review is asked again no sooner than this, whatever it says. */
const SOONEST_MS = 100;

/**
 * Asks the review about every creative whose time has come, and brings the buys that use them up to date. Safe to run in
 * several processes at once, and to be killed anywhere: what is due stays due in the rows. Answers how many were due.
 */
export async function reviewDue(deps: ReviewDependencies): Promise<number> {
  let found = 0;
  for (;;) {
    const now = toTimestamp(deps.clock.now());
    const { rows } = await deps.creatives.find({
      where: { review_due_at: { lte: now, gt: '' } },
      sort: { field: 'review_due_at', direction: 'asc' },
      limit: BATCH,
    });
    const reviewed: Creative[] = [];
    for (const creative of rows) reviewed.push(...(await reviewOne(deps, creative)));
    await settleEffects(deps, reviewed);
    found += rows.length;
    if (rows.length < BATCH) return found;
  }
}

async function reviewOne(deps: ReviewDependencies, due: Creative): Promise<Creative[]> {
  try {
    const subject = due.status === 'processing' ? await hand(deps, due) : due;
    if (subject === undefined) return [];
    const nowMs = deps.clock.now();
    const answer = await deps.review.review(subject, nowMs);
    return await write(deps, subject, (row) => afterAnswer(row, answer, deps.clock.now()));
  } catch (error) {
    deps.log.warn({ creative_id: due.creative_id, err: error }, 'creative review failed; asking again later');
    return postpone(deps, due);
  }
}

async function postpone({ creatives, clock }: ReviewDependencies, due: Creative): Promise<Creative[]> {
  const review_due_at = toTimestamp(clock.now() + FAULT_MS);
  await creatives.update(due.creative_key, (row) =>
    row.version === due.version && row.review_due_at !== null ? { ...row, review_due_at } : undefined,
  );
  return [];
}

/** The assets were checked when they came in, so what remains of processing is to hand them to the review. */
async function hand(deps: ReviewDependencies, due: Creative): Promise<Creative | undefined> {
  const at = toTimestamp(deps.clock.now());
  const cause = { at, action: 'processed', actor: 'system', review_due_at: at } as const;
  const [handed] = await write(deps, due, (row) => transitionCreative(row, 'pending_review', cause));
  return handed;
}

/** The row after an answer that was given about it. Pure. A verdict that is no transition from where it stands changes nothing. */
function afterAnswer(creative: Creative, answer: ReviewAnswer, nowMs: number): Creative {
  const again = answer.askAgainAtMs;
  const review_due_at = again === undefined ? null : toTimestamp(Math.max(again, nowMs + SOONEST_MS));
  if (answer.verdict === 'undecided' || !isLegalCreativeTransition(creative.status, answer.verdict)) {
    return { ...creative, review_due_at };
  }
  const at = toTimestamp(nowMs);
  const said = answer.verdict === 'approved' ? {} : { note: answer.reason, reason_code: answer.reason_code };
  return transitionCreative(creative, answer.verdict, {
    at,
    action: 'reviewed',
    actor: 'seller',
    review_due_at,
    ...said,
  });
}

/** Writes what follows for the creative as it was seen; one that changed since is left for the next time. */
async function write(
  { creatives }: ReviewDependencies,
  seen: Creative,
  after: (row: Creative) => Creative,
): Promise<Creative[]> {
  const outcome = await creatives.update(seen.creative_key, (row) =>
    row.version === seen.version && row.status === seen.status ? after(row) : undefined,
  );
  return outcome?.changed === true ? [outcome.row] : [];
}
