import { z } from 'zod';
import { toTimestamp } from '../../platform/clock.ts';
import type { Problem } from '../../platform/errors.ts';
import { DAY_MS } from '../../platform/hours.ts';
import { refusalOf } from '../../platform/problem.ts';
import { queuedTask } from '../../runtime/task-definition.ts';
import type { RunContext, TaskDefinition } from '../../runtime/task-definition.ts';
import { libraryOf, namedLibrary } from '../../sales/creative/creative-library.ts';
import type { LibraryOwner } from '../../sales/creative/creative-library.ts';
import { MediaBuyId } from '../../sales/media-buy/media-buy-id.ts';
import type { MediaBuy } from '../../sales/media-buy/media-buy.ts';
import {
  FEEDBACK_KEPT_DAYS,
  FeedbackMetric,
  FeedbackSource,
} from '../../sales/performance-feedback/performance-feedback.ts';
import type { PerformanceFeedback } from '../../sales/performance-feedback/performance-feedback.ts';
import { Instant } from '../../platform/instant.ts';
import type { TaskDependencies } from '../dependencies.ts';
import { EXAMPLE_MEDIA_BUY_ID } from '../example-ids.ts';
import { mutationFields } from '../mutation-fields.ts';
import { ownMediaBuy, unknownNames } from '../own-rows.ts';

/** A score above it is a mistake in its scale. */
const MAX_INDEX = 1_000;
/** A period may be told by whole days, the present one too. */
const AHEAD_MS = DAY_MS;

/** The request of `provide_performance_feedback` (rule D4.feedback). */
export const ProvidePerformanceFeedbackRequest = z.strictObject({
  media_buy_id: MediaBuyId,
  measurement_period: z
    .strictObject({ start: Instant, end: Instant })
    .describe('What was measured: some of the flight, and nothing that is still to come.'),
  performance_index: z
    .number()
    .min(0, 'must be 0 or more')
    .max(MAX_INDEX, `must be at most ${MAX_INDEX}; 1 is as expected`)
    .describe('0: of no value; 1: as expected; more: better.'),
  package_id: z.string().min(1).max(255).optional().describe('Left out: the whole media buy.'),
  creative_id: z.string().min(1).max(255).optional().describe('Left out: all creatives.'),
  metric_type: FeedbackMetric.default('overall_performance'),
  feedback_source: FeedbackSource.default('buyer_attribution'),
  ...mutationFields,
});
export type ProvidePerformanceFeedbackRequest = z.infer<typeof ProvidePerformanceFeedbackRequest>;

/** The response of `provide_performance_feedback`: that it is kept. */
export const ProvidePerformanceFeedbackResponse = z.strictObject({
  feedback_id: z.string(),
  media_buy_id: z.string(),
  received_at: z.string(),
});
export type ProvidePerformanceFeedbackResponse = z.infer<typeof ProvidePerformanceFeedbackResponse>;

/** Keeps what a buyer says of how a media buy has done, for the people at the seller to read. */
export function providePerformanceFeedback(deps: TaskDependencies): TaskDefinition {
  const nowMs = deps.clock.now();
  return queuedTask<ProvidePerformanceFeedbackRequest>({
    name: 'provide_performance_feedback',
    title: 'Provide performance feedback',
    description:
      'Tells the seller how well a media buy, a package or a creative did in a period. People at the seller read it; it changes nothing by itself.',
    tags: ['media-buy', 'reporting'],
    examples: [
      {
        title: 'Better than expected',
        input: {
          media_buy_id: EXAMPLE_MEDIA_BUY_ID,
          measurement_period: { start: toTimestamp(nowMs - DAY_MS), end: toTimestamp(nowMs + DAY_MS / 2) },
          performance_index: 1.2,
        },
      },
    ],
    scope: 'tasks:write',
    mutates: true,
    makes: () => ({ budget: 'performance_feedback', amount: 1 }),
    input: ProvidePerformanceFeedbackRequest,
    output: ProvidePerformanceFeedbackResponse,
    check: (request, { caller, account_id }) =>
      assertOfBuy(deps, request, { organization_id: caller.organization_id, account_id }),
    async run(request, context) {
      await context.commit();
      const { feedback_id, media_buy_id, created_at } = await kept(deps, request, context);
      const response: ProvidePerformanceFeedbackResponse = { feedback_id, media_buy_id, received_at: created_at };
      return { done: response, message: `feedback on media buy ${media_buy_id} received` };
    },
  });
}

/** @throws {AppError} for what the caller has not, and for a period that nothing can have been measured in. */
async function assertOfBuy(
  { mediaBuys, creatives, flightClock }: TaskDependencies,
  request: ProvidePerformanceFeedbackRequest,
  owner: LibraryOwner,
): Promise<void> {
  const { media_buy_id, package_id, creative_id } = request;
  const buy = await ownMediaBuy(mediaBuys, owner.organization_id, media_buy_id);
  const problems = periodProblems(request, buy, flightClock.now(buy));
  if (package_id !== undefined && !buy.packages.some((line) => line.package_id === package_id)) {
    const message = `media buy ${media_buy_id} has no package ${JSON.stringify(package_id)}; get_media_buys shows those there are`;
    problems.push({ code: 'PACKAGE_NOT_FOUND', path: ['package_id'], message });
  }
  if (creative_id !== undefined) {
    const refs = buy.packages.flatMap((line) => line.creative_ids);
    const known = libraryOf(await namedLibrary(creatives, owner, [creative_id], refs), refs);
    problems.push(...unknownNames('CREATIVE_NOT_FOUND', [{ id: creative_id, path: ['creative_id'] }], known));
  }
  if (problems.length > 0) throw refusalOf(problems, request);
}

function periodProblems(
  { measurement_period }: ProvidePerformanceFeedbackRequest,
  buy: MediaBuy,
  nowMs: number,
): Problem[] {
  const [start, end] = [Date.parse(measurement_period.start), Date.parse(measurement_period.end)];
  const wrong = (name: 'start' | 'end', message: string): Problem[] => [
    { code: 'INVALID_REQUEST', path: ['measurement_period', name], message },
  ];
  if (end <= start) return wrong('end', 'send an end after the start');
  if (start > nowMs) return wrong('start', 'it is still to come; send a period that was measured');
  if (end > nowMs + AHEAD_MS) return wrong('end', 'it is still to come; send the end of what was measured');
  if (end < Date.parse(buy.start_time)) return wrong('end', `the media buy begins only on ${buy.start_time}`);
  if (start >= Date.parse(buy.end_time)) return wrong('start', `the media buy ended on ${buy.end_time}`);
  return [];
}

/** What this task has brought, it has brought once, however often it is run. */
async function kept(
  { performanceFeedback }: TaskDependencies,
  request: ProvidePerformanceFeedbackRequest,
  { run, now }: RunContext,
): Promise<PerformanceFeedback> {
  const { media_buy_id, package_id = null, creative_id = null, performance_index } = request;
  const { metric_type, feedback_source, measurement_period } = request;
  const feedback_id = `fb_${run.task_id}`;
  const row: PerformanceFeedback = {
    ...{ feedback_id, organization_id: run.organization_id, media_buy_id, package_id, creative_id },
    ...{ metric_type, feedback_source, performance_index, revision: 1 },
    measurement_period: {
      start: toTimestamp(Date.parse(measurement_period.start)),
      end: toTimestamp(Date.parse(measurement_period.end)),
    },
    created_at: toTimestamp(now()),
    expires_at: toTimestamp(now() + FEEDBACK_KEPT_DAYS * DAY_MS),
  };
  if ((await performanceFeedback.insert(row)).inserted) return row;
  const known = await performanceFeedback.get(feedback_id);
  if (known === undefined) throw new Error('feedback that was kept is gone');
  return known;
}
