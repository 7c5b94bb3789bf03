import { z } from 'zod';
import { AppError } from '../../../platform/errors.ts';
import type { MediaBuyId } from '../../../sales/media-buy/media-buy-id.ts';
import { IdOfMediaBuy, Words } from '../fields.ts';
import { operation } from '../operation.ts';
import type { OperatorCall } from '../operation.ts';
import { holdBuy, releaseBuy } from './actions.ts';
import { BuyRowView } from './buy-view.ts';

/** As many as stand on a page of the list. */
export const MOST_BUYS = 50;

/** With commas between, or as a list. */
const Several = z.preprocess(
  (given) => (typeof given === 'string' ? given.split(',').map((id) => id.trim()) : given),
  z
    .array(IdOfMediaBuy)
    .min(1, 'must name at least one media buy')
    .max(MOST_BUYS, `must name at most ${MOST_BUYS} media buys`)
    .refine((ids) => new Set(ids).size === ids.length, 'must name each media buy once'),
);

/** What became of each, in the order they were named. */
const SeveralDone = z.object({
  done: z.int(),
  refused: z.int(),
  media_buys: z.array(
    z.object({
      media_buy_id: z.string(),
      outcome: z.enum(['done', 'refused']),
      /** As it stands after what was done. */
      status: BuyRowView.shape.status.optional(),
      /** Why it was refused. */
      code: z.string().optional(),
      message: z.string().optional(),
    }),
  ),
});
export type SeveralDone = z.infer<typeof SeveralDone>;

/** Each by {@link holdBuy}, and on record as that: what one is refused keeps no other from it. */
export const holdSeveralBuys = operation({
  method: 'post',
  path: '/media-buys/hold',
  summary: 'Hold several media buys back, each by itself: tells of each what became of it.',
  role: 'operator',
  action: 'buys.hold_several',
  done: ({ done, refused }) => `Held back: ${done}. Refused: ${refused}.`,
  isOnRecordAsAnother: true,
  body: z.strictObject({
    media_buy_ids: Several,
    /** Told to each buyer. */
    reason: Words,
  }),
  answer: SeveralDone,
  handle: ({ body: { media_buy_ids, reason } }, call) =>
    each(media_buy_ids, (media_buy_id) =>
      call.perform(holdBuy, { params: { media_buy_id }, body: { reason }, part: media_buy_id }),
    ),
});

/** Each by {@link releaseBuy}, likewise. */
export const releaseSeveralBuys = operation({
  method: 'post',
  path: '/media-buys/release',
  summary: 'Release several media buys that are held back, each by itself: tells of each what became of it.',
  role: 'operator',
  action: 'buys.release_several',
  done: ({ done, refused }) => `Released: ${done}. Refused: ${refused}.`,
  isOnRecordAsAnother: true,
  body: z.strictObject({ media_buy_ids: Several }),
  answer: SeveralDone,
  handle: ({ body: { media_buy_ids } }, call) =>
    each(media_buy_ids, (media_buy_id) => call.perform(releaseBuy, { params: { media_buy_id }, part: media_buy_id })),
});

/** One after the other. What is no refusal ends it: the same click does the rest. */
async function each(
  ids: readonly MediaBuyId[],
  act: (media_buy_id: MediaBuyId) => ReturnType<OperatorCall['perform']>,
): Promise<SeveralDone> {
  const media_buys: SeveralDone['media_buys'] = [];
  for (const media_buy_id of ids) {
    try {
      const { status } = z.object({ status: BuyRowView.shape.status }).parse(await act(media_buy_id));
      media_buys.push({ media_buy_id, outcome: 'done', status });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      media_buys.push({ media_buy_id, outcome: 'refused', code: error.code, message: error.message });
    }
  }
  const done = media_buys.filter(({ outcome }) => outcome === 'done').length;
  return { done, refused: media_buys.length - done, media_buys };
}
