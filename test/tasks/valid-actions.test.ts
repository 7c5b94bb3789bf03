import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/platform/errors.ts';
import { assignCreatives } from '../../src/sales/creative/assign.ts';
import { BUYER_ACTIONS, validActions } from '../../src/sales/media-buy/buyer-actions.ts';
import type { ActionWords, BuyerAction } from '../../src/sales/media-buy/buyer-actions.ts';
import { MediaBuyStatus, PendingReason } from '../../src/sales/media-buy/media-buy.ts';
import type { MediaBuy } from '../../src/sales/media-buy/media-buy.ts';
import { isTerminalBuy } from '../../src/sales/media-buy/transitions.ts';
import type { OfferedTargeting } from '../../src/sales/targeting/offered-targeting.ts';
import { applyChange } from '../../src/sales/media-buy/apply-change.ts';
import { assertUpdatable } from '../../src/tasks/update-media-buy/apply.ts';
import { changeOf } from '../../src/tasks/update-media-buy/change-of.ts';
import { planUpdate } from '../../src/tasks/update-media-buy/plan.ts';
import { UpdateMediaBuyRequest } from '../../src/tasks/update-media-buy/schema.ts';
import { sampleCreative } from '../sales/support/sample-creative.ts';
import { sampleMediaBuy } from '../sales/support/sample-media-buy.ts';
import { taskId } from '../support/ids.ts';
import { demoCatalog } from '../sales/support/demo-catalog.ts';

const NONE_ADDED = {
  catalog: await demoCatalog(),
  creativeProblems: [],
  broughtProblems: [],
  nameOf: (id: string) => id,
};

const AT = '2026-03-03T10:00:00.000Z';
const TASK = taskId('task_2');

/** What to send for each action, to a buy that it would change. */
const UPDATES = {
  pause: { status: 'paused' },
  resume: { status: 'active' },
  cancel: { status: 'canceled' },
  update_budget: { budget_change: 100 },
  update_dates: { end_time: '2026-05-10T00:00:00.000Z' },
  update_packages: { packages: [{ package_id: 'pkg_1', paused: true }] },
  update_targeting: { targeting: { geo: { countries: ['US'] } } },
} satisfies Record<Exclude<BuyerAction, 'sync_creatives'>, unknown>;

const OFFERED: OfferedTargeting = {
  ...{ countries: ['US'], devices: ['desktop'], regions: [], languages: [], audiences: [] },
  ...{ dayparting: false, frequency_cap: false },
};

/** Every state there is, with every reason to wait and none. */
const STATES = MediaBuyStatus.options.flatMap((status) =>
  [null, ...PendingReason.options].map((pending_reason) => ({ status, pending_reason })),
);

const WORDS = [{ mayWait: false }, { mayWait: true }];

describe('[B9.valid-actions] [B2.resumed] of a media buy', () => {
  it.each(STATES)(
    'that is $status, waiting for $pending_reason, are those that are taken in the public protocol, too, resumed or not',
    (state) => {
      for (const resumes of [undefined, true] as const) {
        const buy = { ...sampleBuy(state), ...(resumes && state.status === 'paused' && { resumes }) };
        for (const words of WORDS) {
          const taken = BUYER_ACTIONS.filter((action) => isTaken(buy, action, words));
          expect(validActions(buy, words)).toEqual(taken);
        }
      }
    },
  );

  it('leave a resume of what waits to the public protocol, and what was resumed to be paused', () => {
    const waits = sampleBuy({ status: 'paused', pending_reason: 'creatives' });
    const moves = (buy: MediaBuy, mayWait: boolean) =>
      validActions(buy, { mayWait }).filter((action) => action === 'pause' || action === 'resume');
    expect([moves(waits, false), moves(waits, true)]).toEqual([[], ['resume']]);
    const resumed: MediaBuy = { ...waits, resumes: true };
    expect([moves(resumed, false), moves(resumed, true)]).toEqual([['pause'], ['pause']]);
  });

  it.each(STATES)(
    'that is $status, waiting for $pending_reason, each listed action is taken, each other refused',
    (state) => {
      const buy = sampleBuy(state);
      const taken = BUYER_ACTIONS.filter((action) => isTaken(buy, action));
      expect(validActions(buy)).toEqual(taken);
      expect(taken.length === 0).toBe(isTerminalBuy(state.status));
    },
  );
});

/** One whose packages may be aimed at the United States. */
function sampleBuy({ status, pending_reason }: Pick<MediaBuy, 'status' | 'pending_reason'>): MediaBuy {
  const { packages } = sampleMediaBuy();
  return sampleMediaBuy({
    ...{ status, pending_reason, open: !isTerminalBuy(status) },
    packages: packages.map((line) => ({ ...line, offered_targeting: OFFERED })),
  });
}

/** Whether the tasks do it, all the way to the buy as it would be written. */
function isTaken(buy: MediaBuy, action: BuyerAction, words?: ActionWords): boolean {
  if (action === 'sync_creatives') {
    const wish = {
      operation: 'assign' as const,
      creative: sampleCreative({ creative_id: 'new' }),
      package_id: 'pkg_2',
    };
    const { outcomes } = assignCreatives(buy, [wish], () => undefined, { at: AT, task_id: TASK });
    return outcomes.every(({ error }) => error === undefined);
  }
  const { media_buy_id } = buy;
  const request = UpdateMediaBuyRequest.parse({ media_buy_id, updates: UPDATES[action] });
  try {
    assertUpdatable(buy, request, words);
    const flightMs = Date.parse(AT);
    const plan = planUpdate(buy, request.updates, {
      flightMs,
      library: { owner: buy, seen: new Map(), held: new Map() },
      spentMinor: () => 0,
      products: [],
      ...NONE_ADDED,
    });
    const after = applyChange(buy, changeOf(buy, plan), { task_id: TASK, at: AT });
    expect(after.history.length).toBeGreaterThan(buy.history.length);
    return true;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    expect(['INVALID_STATE', 'NOT_CANCELLABLE']).toContain(error.code);
    return false;
  }
}
