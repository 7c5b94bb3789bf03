import { z } from 'zod';
import type { JsonObject } from '../../../platform/json-object.ts';
import { toTimestamp } from '../../../platform/clock.ts';
import type { GetMediaBuysResponse, MediaBuyRow } from '../../../tasks/get-media-buys/schema.ts';
import { creativeIdOf } from '../../../sales/creative/creative-ref.ts';
import type { MediaBuy } from '../../../sales/media-buy/media-buy.ts';
import { EnvelopeFields } from '../envelope.ts';
import { BuysAsked, wantedBuys } from '../media-buys/buys-asked.ts';
import { buyFacts, creativeStates } from '../media-buys/buy-facts.ts';
import type { CreativeStates } from '../media-buys/buy-facts.ts';
import { accountsOf } from '../media-buys/buy-accounts.ts';
import type { ActionFacts } from '../media-buys/public-actions.ts';
import { pageAsked, Pagination, pagination } from '../pagination.ts';
import { isFrom } from '../release.ts';
import { ourStatuses } from '../statuses.ts';
import type { PublicBuyStatus } from '../statuses.ts';
import { translator } from '../translator.ts';
import type { Translator } from '../translator.ts';
import type { TranslatorSources } from '../sources.ts';
import { refuseUnsupported } from '../unsupported.ts';
import { historyOf } from './history.ts';
import { publicImpairments } from './impairments.ts';
import { snapshotsOf } from './snapshots.ts';
import type { Snapshots } from './snapshots.ts';
import { exactTotal } from './total.ts';
import { publicActivity } from './webhook-activity.ts';

const AdcpGetMediaBuysRequest = z.looseObject({
  ...EnvelopeFields.shape,
  ...BuysAsked.shape,
  include_history: z.int().min(0).max(1000).optional(),
  include_snapshot: z.boolean().optional(),
  include_webhook_activity: z.boolean().optional(),
  webhook_activity_limit: z.int().min(1).max(200).optional(),
  pagination: Pagination.optional(),
});
type AdcpGetMediaBuysRequest = z.infer<typeof AdcpGetMediaBuysRequest>;

/** A filter that media buys are not kept by: what it would leave out must not be shown as if it passed. */
const NOT_KEPT_BY = { indicator_types: 'media buys are not looked at for indicators here' };

/** Shows the caller's media buys as they stand. */
export function adcpGetMediaBuys(sources: TranslatorSources): Translator {
  return translator<AdcpGetMediaBuysRequest>({
    skill: 'get_media_buys',
    task: 'get_media_buys',
    title: 'Get media buys',
    description: 'Shows your media buys with their packages, state of health and what you can do next.',
    tags: ['media-buy', 'buying'],
    mutates: false,
    tellsSandbox: true,
    examples: [{ status_filter: ['active', 'paused'] }],
    input: AdcpGetMediaBuysRequest,
    async in(request, { caller, release }) {
      refuseUnsupported(request, NOT_KEPT_BY);
      const { media_buy_ids, include_history, include_snapshot, pagination: page } = request;
      const hasActivity = request.include_webhook_activity === true && isFrom(release, '3.1');
      const { account_id, statuses } = await wantedBuys(sources, caller, request);
      return {
        input: {
          ...(media_buy_ids !== undefined && { media_buy_ids }),
          ...(statuses !== undefined && { status: ourStatuses(statuses) }),
          ...(account_id !== undefined && { account_id }),
          ...(hasActivity && { include_webhook_activity: true }),
          ...pageAsked(page),
        },
        ...(account_id !== undefined && { account_id }),
        extra: {
          ...(media_buy_ids !== undefined && { media_buy_ids }),
          ...(account_id !== undefined && { account_id }),
          ...(statuses !== undefined && { statuses }),
          ...(include_history !== undefined && { include_history }),
          ...(include_snapshot !== undefined && { include_snapshot }),
          ...(hasActivity && { activity_limit: request.webhook_activity_limit ?? USUAL_ACTIVITY }),
        },
      };
    },
    async out(result, { extra, caller, release, nowMs, ask }) {
      const { media_buys } = result as unknown as GetMediaBuysResponse;
      const ids = media_buys.map(({ media_buy_id }) => media_buy_id);
      const stored = new Map((await sources.mediaBuys.getMany(ids)).map((buy) => [buy.media_buy_id, buy]));
      const states = await creativeStates(sources, [...stored.values()]);
      const accounts = await accountsOf(sources, [...stored.values()]);
      const { media_buy_ids, account_id, statuses, include_history = 0, activity_limit, ...more } = extra as Shown;
      const { include_snapshot = false } = more;
      const snapshots = include_snapshot ? await snapshotsOf(ask, [...stored.values()], nowMs) : undefined;
      const { catalog, flightClock } = sources;
      const hasApproval = await sources.mayAskPerson(caller.organization_id);
      const facts = { release, nowMs, hasApproval, catalog, flightClock };
      const showing = { states, snapshots, activity_limit, include_history };
      const rows = media_buys.flatMap((row) => {
        const buy = stored.get(row.media_buy_id);
        if (buy === undefined) return [];
        const account = accounts.get(buy.account_id ?? '');
        return [{ ...rowOf(buy, row, { ...facts, account }, showing), ...(account && { account }) }];
      });
      const shown = rows.filter(({ status }) => statuses?.some((one) => one === status) ?? true);
      const wanted = {
        ...(media_buy_ids !== undefined && { media_buy_ids }),
        ...(account_id !== undefined && { account_id }),
        ...(statuses !== undefined && { statuses }),
      };
      return { media_buys: shown, pagination: pagination(result, await exactTotal(sources, caller, wanted)) };
    },
  });
}

interface Shown {
  media_buy_ids?: string[];
  account_id?: string;
  statuses?: PublicBuyStatus[];
  include_history?: number;
  activity_limit?: number;
  include_snapshot?: boolean;
}

/** How many fires are told unless the request says otherwise. */
const USUAL_ACTIVITY = 50;

function rowOf(
  buy: MediaBuy,
  row: MediaBuyRow,
  facts: ActionFacts,
  { states, include_history, activity_limit, snapshots }: Showing,
): JsonObject & { status?: unknown } {
  const { release, nowMs } = facts;
  const { confirmed_at, packages, ...told } = buyFacts(buy, states, facts);
  const refs = new Map(buy.packages.map(({ package_id, creative_ids }) => [package_id, creative_ids]));
  const approvals = (packages as JsonObject[]).map((one) => {
    const package_id = String(one['package_id']);
    return { ...one, ...approvalsOf(refs.get(package_id) ?? [], states), ...snapshots?.get(package_id) };
  });
  return {
    ...told,
    // A null is what 3.0 has no word for.
    ...((release !== '3.0' || confirmed_at !== null) && { confirmed_at }),
    packages: approvals,
    ...{ created_at: buy.created_at, updated_at: buy.updated_at },
    ...(release !== '3.0' && {
      status_as_of: toTimestamp(nowMs),
      health: row.health,
      impairments: publicImpairments(row.impairments),
    }),
    ...(activity_limit !== undefined && {
      webhook_activity: publicActivity(row.webhook_activity, activity_limit),
    }),
    ...(include_history > 0 && { history: historyOf(buy).slice(-include_history) }),
  };
}

interface Showing {
  states: CreativeStates;
  include_history: number;
  activity_limit: number | undefined;
  snapshots: Snapshots | undefined;
}

/**
 * How the creatives of a package stand, by the names that it has them by: an id may mean one in each library. Of what is taken out of
 * service, that it is not approved.
 */
function approvalsOf(refs: readonly string[], states: CreativeStates): JsonObject {
  const creative_approvals = refs.flatMap((ref) => {
    const status = states.get(ref);
    if (status === undefined) return [];
    const isRefused = status === 'rejected' || status === 'suspended' || status === 'archived';
    const approval_status = isRefused ? 'rejected' : status === 'approved' ? 'approved' : 'pending_review';
    return [{ creative_id: creativeIdOf(ref), approval_status }];
  });
  return creative_approvals.length === 0 ? {} : { creative_approvals };
}
