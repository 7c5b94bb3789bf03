import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/platform/errors.ts';
import { MediaBuy, MediaBuyStatus } from '../../../src/sales/media-buy/media-buy.ts';
import {
  MEDIA_BUY_TRANSITIONS,
  assertOpen,
  isLegalBuyTransition,
  isTerminalBuy,
  transitionBuy,
} from '../../../src/sales/media-buy/transitions.ts';
import { taskId } from '../../support/ids.ts';
import { sampleMediaBuy } from '../support/sample-media-buy.ts';

const ALL = MediaBuyStatus.options;
const statuses = fc.constantFrom(...ALL);
const cause = { at: '2026-03-03T10:00:00.000Z', action: 'moved', actor: 'system' } as const;

function codeOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
  return 'allowed';
}

describe('[B2] the moves of a media buy', () => {
  const legal = [
    'pending → active',
    'pending → paused',
    'pending → rejected',
    'pending → canceled',
    'active → paused',
    'active → completed',
    'active → canceled',
    'paused → active',
    'paused → completed',
    'paused → canceled',
  ];

  it('are exactly those of the table', () => {
    const found = ALL.flatMap((from) =>
      ALL.filter((to) => isLegalBuyTransition(from, to)).map((to) => `${from} → ${to}`),
    );
    expect(found.sort()).toEqual([...legal].sort());
    expect(ALL.filter(isTerminalBuy)).toEqual(['completed', 'canceled', 'rejected']);
    expect(Object.keys(MEDIA_BUY_TRANSITIONS).sort()).toEqual([...ALL].sort());
  });

  it('never lead back to pending', () => {
    fc.assert(fc.property(statuses, (from) => !isLegalBuyTransition(from, 'pending')));
  });

  it('keep every row valid, in order and open exactly until it is terminal, whatever is tried', () => {
    fc.assert(
      fc.property(fc.array(statuses, { maxLength: 12 }), (tried) => {
        let buy = sampleMediaBuy();
        for (const to of tried) {
          const before = structuredClone(buy);
          if (isLegalBuyTransition(buy.status, to)) {
            const after = transitionBuy(buy, to, cause);
            expect(buy).toEqual(before);
            buy = after;
          } else expect(codeOf(() => transitionBuy(buy, to, cause))).not.toBe('allowed');
          expect(MediaBuy.parse(buy)).toEqual(buy);
          expect(buy.open).toBe(!isTerminalBuy(buy.status));
        }
        buy.history.slice(1).forEach((event, i) => {
          expect(event.from_status).toBe(buy.history[i]?.to_status);
        });
        expect(buy.history.at(-1)?.to_status).toBe(buy.status);
      }),
    );
  });

  it('a terminal buy refuses every update with INVALID_STATE, and canceling a canceled one with NOT_CANCELLABLE', () => {
    for (const status of ['completed', 'canceled', 'rejected'] as const) {
      const buy = sampleMediaBuy({ status, open: false, pending_reason: null });
      expect(
        codeOf(() => {
          assertOpen(buy);
        }),
      ).toBe('INVALID_STATE');
      for (const to of ALL) {
        const expected = status === 'canceled' && to === 'canceled' ? 'NOT_CANCELLABLE' : 'INVALID_STATE';
        expect(codeOf(() => transitionBuy(buy, to, cause))).toBe(expected);
      }
    }
    expect(
      codeOf(() => {
        assertOpen(sampleMediaBuy());
      }),
    ).toBe('allowed');
  });

  it('a refused move says where the buy stands and what it can become', () => {
    expect(() => transitionBuy(sampleMediaBuy(), 'completed', cause)).toThrow(
      expect.objectContaining({
        message: 'media buy mb_1 is pending and cannot become completed',
        details: {
          field: 'media_buy_id',
          suggestion: 'from pending it can become active, paused, rejected, canceled',
          details: { status: 'pending' },
        },
      }) as Error,
    );
  });
});

it('a buy that leaves pending waits for nothing, unless it is only paused', () => {
  expect(transitionBuy(sampleMediaBuy(), 'active', cause).pending_reason).toBeNull();
  expect(transitionBuy(sampleMediaBuy(), 'canceled', cause).pending_reason).toBeNull();
  const paused = transitionBuy(sampleMediaBuy(), 'paused', cause);
  expect(paused.pending_reason).toBe('creatives');
  expect(transitionBuy(paused, 'active', cause).pending_reason).toBeNull();
});

it('a move is dated and tells who made it and why', () => {
  const buy = transitionBuy(sampleMediaBuy(), 'rejected', {
    ...cause,
    actor: 'seller',
    note: 'category sold out',
    task_id: taskId('t9'),
  });
  expect(buy.updated_at).toBe(cause.at);
  expect(buy.history.at(-1)).toEqual({
    at: cause.at,
    action: 'moved',
    actor: 'seller',
    from_status: 'pending',
    to_status: 'rejected',
    note: 'category sold out',
    task_id: 't9',
  });
});
