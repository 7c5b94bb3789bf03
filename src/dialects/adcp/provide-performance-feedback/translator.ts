import { z } from 'zod';
import { MediaBuyId } from '../../../sales/media-buy/media-buy-id.ts';
import { accountIdFor, assertAccountOpen } from '../accounts.ts';
import { EnvelopeFields } from '../envelope.ts';
import { ownBuy } from '../media-buys/own-buy.ts';
import { AccountRef } from '../refs.ts';
import type { TranslatorSources } from '../sources.ts';
import { translator } from '../translator.ts';
import type { Translator } from '../translator.ts';
import { refuseUnsupported } from '../unsupported.ts';

/** Its fields are judged by the task itself, which has the same names for them. */
const AdcpProvidePerformanceFeedbackRequest = z.looseObject({
  ...EnvelopeFields.shape,
  account: AccountRef.optional(),
  media_buy_id: z.string().min(1).max(255),
  measurement_period: z.looseObject({ start: z.string().max(64), end: z.string().max(64) }),
  performance_index: z.number(),
  package_id: z.string().min(1).max(255).optional(),
  creative_id: z.string().min(1).max(255).optional(),
  metric_type: z.string().max(64).optional(),
  feedback_source: z.string().max(64).optional(),
});
type AdcpProvidePerformanceFeedbackRequest = z.infer<typeof AdcpProvidePerformanceFeedbackRequest>;

/** What would be kept as another thing than was said. */
const NOT_OF_FEEDBACK = {
  supersedes_feedback_id: 'what was said before stands beside this; no feedback is told an id here',
};
/** The same where nothing else says what the score is of. */
const NO_METRIC = { metric: 'send metric_type, by which scores are kept here' };

/** Takes a buyer's score of a media buy of theirs; says that it is kept, and nothing of what becomes of it. */
export function adcpProvidePerformanceFeedback(sources: TranslatorSources): Translator {
  return translator<AdcpProvidePerformanceFeedbackRequest>({
    skill: 'provide_performance_feedback',
    task: 'provide_performance_feedback',
    title: 'Provide performance feedback',
    description: 'Keeps how well you say a media buy did in a period, for people at the seller to read.',
    tags: ['media-buy', 'reporting'],
    mutates: true,
    tellsSandbox: true,
    examples: [],
    input: AdcpProvidePerformanceFeedbackRequest,
    async in(request, { caller }) {
      const { media_buy_id, measurement_period, performance_index, account } = request;
      const { package_id, creative_id, metric_type, feedback_source } = request;
      refuseUnsupported(request, { ...NOT_OF_FEEDBACK, ...(metric_type === undefined && NO_METRIC) });
      const account_id = account && (await accountIdFor(sources, caller, account));
      const buy = await ownBuy(sources, caller, MediaBuyId.parse(media_buy_id), account_id);
      const booked = buy.account_id === undefined ? undefined : await sources.accounts.get(buy.account_id);
      if (booked !== undefined) assertAccountOpen(booked);
      const { start, end } = measurement_period;
      return {
        input: {
          ...{ media_buy_id, measurement_period: { start, end }, performance_index },
          ...(package_id !== undefined && { package_id }),
          ...(creative_id !== undefined && { creative_id }),
          ...(metric_type !== undefined && { metric_type }),
          ...(feedback_source !== undefined && { feedback_source }),
        },
        ...(account_id !== undefined && { account_id }),
        sandbox: booked?.sandbox,
      };
    },
    out: () => ({ success: true }),
  });
}
