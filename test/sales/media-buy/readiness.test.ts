import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CreativeStatus } from '../../../src/sales/creative/creative.ts';
import { MediaBuy, MediaBuyStatus, PendingReason } from '../../../src/sales/media-buy/media-buy.ts';
import { isLegalBuyTransition } from '../../../src/sales/media-buy/transitions.ts';
import { awaitsApproval, reasonToWait, settleReadiness } from '../../../src/sales/media-buy/readiness.ts';
import { sampleMediaBuy } from '../support/sample-media-buy.ts';

const START = Date.parse(sampleMediaBuy().start_time);
const END = Date.parse(sampleMediaBuy().end_time);
const AT = '2026-03-15T00:00:00.000Z';

type States = Record<string, CreativeStatus>;

function facts(states: States, nowMs = START, isAwaited = false) {
  return { nowMs, awaitsApproval: isAwaited, creativeStatus: (id: string) => states[id] };
}

/** One package per list of creative ids. */
/** The ad server runs it already, so that it need not wait for that. */
const RUNS = { ad_version: 1, held: { version: 1, digest: null, state: 'running' as const } };

function buyWith(creatives: readonly string[][], changes: Partial<MediaBuy> = {}): MediaBuy {
  const [line] = sampleMediaBuy().packages;
  if (line === undefined) throw new Error('the sample has no package');
  const packages = creatives.map((creative_ids, i) => ({ ...line, package_id: `p${i + 1}`, creative_ids }));
  return sampleMediaBuy({ packages, ...RUNS, ...changes });
}

describe('[B1] what a buy waits for', () => {
  it.each<[string, string[][], States, number, boolean, string | null]>([
    ['approval, whatever else', [[]], {}, START - 1, true, 'approval'],
    ['creatives, when a package has none', [['a'], []], { a: 'approved' }, START, false, 'creatives'],
    [
      'creatives, when none is approved',
      [['a', 'b']],
      { a: 'pending_review', b: 'rejected' },
      START,
      false,
      'creatives',
    ],
    ['creatives, when the id is unknown', [['a']], {}, START, false, 'creatives'],
    ['creatives, when the only one is suspended', [['a']], { a: 'suspended' }, START, false, 'creatives'],
    ['creatives before its start', [['a']], { a: 'processing' }, START - 1, false, 'creatives'],
    ['its start, when all else is there', [['a']], { a: 'approved' }, START - 1, false, 'start_time'],
    ['nothing at its start', [['a']], { a: 'approved' }, START, false, null],
    ['nothing, when one of several is approved', [['a', 'b']], { a: 'rejected', b: 'approved' }, START, false, null],
  ])('is %s', (_, creatives, states, nowMs, isAwaited, reason) => {
    expect(reasonToWait(buyWith(creatives), facts(states, nowMs, isAwaited))).toBe(reason);
  });
});

describe('[B2] a pending buy', () => {
  it('becomes active by the table of moves when nothing is left to wait for', () => {
    const buy = settleReadiness(buyWith([['a']]), facts({ a: 'approved' }), AT);
    expect(buy).toMatchObject({ status: 'active', pending_reason: null, updated_at: AT });
    expect(buy?.history.at(-1)).toMatchObject({ action: 'activated', from_status: 'pending', to_status: 'active' });
  });

  it('goes back to waiting for creatives when its only one is suspended before the start', () => {
    const waiting = buyWith([['a']], { pending_reason: 'start_time' });
    const buy = settleReadiness(waiting, facts({ a: 'suspended' }, START - 1), AT);
    expect(buy).toMatchObject({ status: 'pending', pending_reason: 'creatives' });
  });

  it('is left alone when its flight is over', () => {
    expect(settleReadiness(buyWith([['a']]), facts({ a: 'approved' }, END), AT)).toBeUndefined();
  });

  it('learns while paused what it still waits for, and stays paused', () => {
    const paused = buyWith([['a']], { status: 'paused' });
    expect(settleReadiness(paused, facts({ a: 'approved' }), AT)).toMatchObject({
      status: 'paused',
      pending_reason: null,
    });
  });
});

it('a second look changes nothing, the row stays valid, and no move is made that the table does not have', () => {
  const ids = fc.constantFrom('a', 'b', 'c');
  fc.assert(
    fc.property(
      fc.array(fc.uniqueArray(ids), { minLength: 1, maxLength: 4 }),
      fc.dictionary(ids, fc.constantFrom(...CreativeStatus.options)),
      fc.constantFrom(...MediaBuyStatus.options),
      fc.option(fc.constantFrom(...PendingReason.options)),
      fc.constantFrom(START - 1, START, END - 1, END),
      (creatives, states, status, reason, nowMs) => {
        const pending_reason = status === 'pending' ? (reason ?? 'creatives') : status === 'paused' ? reason : null;
        const buy = buyWith(creatives, { status, pending_reason });
        const seen = facts(states, nowMs, awaitsApproval(buy));
        const after = settleReadiness(buy, seen, AT);
        if (after === undefined) return;
        expect(MediaBuy.parse(after)).toEqual(after);
        expect(after.status === buy.status || isLegalBuyTransition(buy.status, after.status)).toBe(true);
        // What the ad server takes a moment for is no news of its own.
        const isNews = after.status !== buy.status || after.pending_reason !== 'ad_server';
        expect(after.history).toHaveLength(buy.history.length + (isNews ? 1 : 0));
        expect(settleReadiness(after, { ...seen, awaitsApproval: awaitsApproval(after) }, AT)).toBeUndefined();
      },
    ),
  );
});
