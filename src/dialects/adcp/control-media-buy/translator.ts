import { z } from 'zod';
import type { JsonObject } from '../../../platform/json-object.ts';
import { MediaBuyId } from '../../../sales/media-buy/media-buy-id.ts';
import { EnvelopeFields } from '../envelope.ts';
import { accountsOf } from '../media-buys/buy-accounts.ts';
import { canonicalActions } from '../media-buys/public-actions.ts';
import { AccountRef } from '../refs.ts';
import type { TranslatorSources } from '../sources.ts';
import { translator } from '../translator.ts';
import type { Translator } from '../translator.ts';
import { refuseUnsupported } from '../unsupported.ts';
import { adcpUpdateMediaBuy } from '../update-media-buy/translator.ts';
import { AdcpPackageUpdate } from '../update-media-buy/schema.ts';
import { AdcpReportingWebhook } from '../webhooks/asked-webhooks.ts';

/** What is no control of what was booked, but another booking. */
const OF_AN_UPDATE = Object.fromEntries(
  ['creatives', 'creative_assignments', 'new_packages', 'invoice_recipient'].map((name) => [
    name,
    'is changed by update_media_buy or sync_creatives',
  ]),
);
const NO_TIMES = { start_time: 'is changed by update_media_buy', end_time: 'is changed by update_media_buy' };

const AdcpControlMediaBuyRequest = z.looseObject({
  ...EnvelopeFields.shape,
  account: AccountRef,
  media_buy_id: z.string().min(1).max(255),
  revision: z.int('send the revision of the media buy that you have seen').min(1),
  paused: z.boolean().optional(),
  canceled: z.literal(true).optional(),
  cancellation_reason: z.string().max(500).optional(),
  packages: z.array(AdcpPackageUpdate).min(1).max(100, 'send at most 100 packages').optional(),
  reporting_webhook: AdcpReportingWebhook.optional(),
});
type AdcpControlMediaBuyRequest = z.infer<typeof AdcpControlMediaBuyRequest>;

/** What 3.2 has in place of `update_media_buy` for all that goes on within what was booked. */
export function adcpControlMediaBuy(sources: TranslatorSources): Translator {
  const update = adcpUpdateMediaBuy(sources);
  return translator<AdcpControlMediaBuyRequest>({
    skill: 'control_media_buy',
    task: update.task,
    since: '3.2',
    leavesOut: ['adcp_version'],
    title: 'Control media buy',
    description:
      'Pauses, resumes or cancels a media buy or its packages, and changes their budgets, bids and targeting, in 3.2. It takes the revision that you have seen.',
    tags: update.tags,
    mutates: true,
    examples: [],
    input: AdcpControlMediaBuyRequest,
    async in(request, context) {
      refuseUnsupported(request, { ...OF_AN_UPDATE, ...NO_TIMES });
      request.packages?.forEach((one, i) => {
        refuseUnsupported(one, OF_AN_UPDATE, { at: `packages[${i}].` });
      });
      return update.in(request, context);
    },
    async out(result, context) {
      const whole = await update.out(result, context);
      const { media_buy_id, revision, media_buy_status, implementation_date, affected_packages = [], ext } = whole;
      const affected_package_ids = (affected_packages as JsonObject[]).map(({ package_id }) => package_id);
      const buy = await sources.mediaBuys.get(MediaBuyId.parse(media_buy_id));
      const account = buy && (await accountsOf(sources, [buy])).get(buy.account_id ?? '');
      const { caller, release, nowMs } = context;
      const hasApproval = await sources.mayAskPerson(caller.organization_id);
      const told = {
        ...{ media_buy_id, revision, media_buy_status, implementation_date, affected_package_ids },
        ...(buy && { available_actions: canonicalActions(buy, { ...sources, hasApproval, release, nowMs, account }) }),
      };
      return ext === undefined ? told : { ...told, ext };
    },
    fields: update.fields ?? {},
  });
}
