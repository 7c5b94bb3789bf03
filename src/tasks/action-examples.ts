import type { JsonObject } from '../platform/json-object.ts';
import { toTimestamp } from '../platform/clock.ts';
import type { Clock } from '../platform/clock.ts';
import { DAY_MS } from '../platform/hours.ts';
import type { TaskExample } from '../runtime/task-definition.ts';
import type { Catalog } from '../sales/catalog.ts';
import type { BuyerAction } from '../sales/media-buy/buyer-actions.ts';
import { exampleBuy, exampleCreativesForPackage } from './create-media-buy/examples.ts';
import { EXAMPLE_MEDIA_BUY_ID, EXAMPLE_MEDIA_BUY_TO_CANCEL_ID, EXAMPLE_PACKAGE_ID } from './example-ids.ts';

/** What a buyer sends for an action that `valid_actions` lists. */
export interface ActionExample {
  skill: 'update_media_buy' | 'sync_creatives';
  title: string;
  input: JsonObject;
}

const DAYS_FROM_NOW = 365;

/**
 * An example for each action (rule B9), to run one after the other in this order: each works when it is pasted, on the buys
 * that `npm start` makes.
 */
export function actionExamples(catalog: Catalog, nowMs: number): Readonly<Record<BuyerAction, ActionExample>> {
  const [line] = exampleBuy(catalog, nowMs).packages;
  const creatives = exampleCreativesForPackage(catalog, nowMs);
  return {
    update_budget: update('A larger budget', { budget_change: 500 }),
    update_dates: update('Another end', { end_time: toTimestamp(nowMs + DAYS_FROM_NOW * DAY_MS) }),
    update_targeting: update('Another targeting', { targeting: { geo: { countries: ['US'] } } }),
    update_packages: update('Another budget of one package, and one more package', {
      packages: [{ package_id: EXAMPLE_PACKAGE_ID, budget: (line?.budget ?? 0) + 1_000 }],
      ...(line && { new_packages: [anotherOf(line)] }),
    }),
    pause: update('Pause it', { status: 'paused' }),
    resume: update('Resume it', { status: 'active' }),
    cancel: {
      skill: 'update_media_buy',
      title: 'Cancel it, safe to repeat',
      input: {
        media_buy_id: EXAMPLE_MEDIA_BUY_TO_CANCEL_ID,
        updates: { status: 'canceled' },
        idempotency_key: 'cancel-example-buy-1',
      },
    },
    sync_creatives: {
      skill: 'sync_creatives',
      title: 'A creative for a package',
      input: {
        creatives,
        assignments: Object.fromEntries(creatives.map(({ creative_id }) => [creative_id, [EXAMPLE_PACKAGE_ID]])),
      },
    },
  };
}

/** The same once more, with the creatives that the library has by now. */
function anotherOf({ buyer_ref: _own, creatives, ...terms }: ReturnType<typeof exampleBuy>['packages'][number]) {
  return { ...terms, creative_ids: creatives.map(({ creative_id }) => creative_id) };
}

/** Those of one task, for its card skill. */
export function examplesOf(
  task: ActionExample['skill'],
  { catalog, clock }: { catalog: Catalog; clock: Clock },
): TaskExample[] {
  const examples = Object.values(actionExamples(catalog, clock.now()));
  return examples.filter(({ skill }) => skill === task).map(({ title, input }) => ({ title, input }));
}

function update(title: string, updates: JsonObject): ActionExample {
  return { skill: 'update_media_buy', title, input: { media_buy_id: EXAMPLE_MEDIA_BUY_ID, updates } };
}
