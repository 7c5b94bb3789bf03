import type { JsonObject } from '../../../platform/json-object.ts';
import { validActions } from '../../../sales/media-buy/buyer-actions.ts';
import type { MediaBuy } from '../../../sales/media-buy/media-buy.ts';

/** By what task of 3.2 a buyer does what may be done, under its names; nothing of what they have no task for here. */
const TASKS: Readonly<Record<string, readonly (readonly [action: string, task: string])[]>> = {
  pause: [['pause', 'control_media_buy']],
  resume: [['resume', 'control_media_buy']],
  cancel: [['cancel', 'control_media_buy']],
  update_budget: [
    ['increase_budget', 'control_media_buy'],
    ['decrease_budget', 'control_media_buy'],
  ],
  update_targeting: [['update_targeting', 'control_media_buy']],
  sync_creatives: [['update_creative_assignments', 'sync_creatives']],
};

/** What a buyer may do with a media buy now, and how. Pure. */
export function canonicalActions(buy: MediaBuy, hasApproval: boolean): JsonObject[] {
  const actions = validActions(buy).flatMap((action) => TASKS[action] ?? []);
  return actions.map(([action, task]) => {
    const mode = hasApproval && action === 'increase_budget' ? 'conditional_self_serve' : 'self_serve';
    return { task, action, mode };
  });
}
