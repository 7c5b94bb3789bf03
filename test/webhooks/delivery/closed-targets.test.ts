import { describe, expect, it } from 'vitest';
import { createClosedTargets } from '../../../src/webhooks/delivery/closed-targets.ts';
import { until } from '../../support/until.ts';

const target = { organization_id: 'o', origin: 'https://buyer.example', path: '/hooks' };

/** On a clock that stands still until it is set. */
function opened() {
  const clock = { nowMs: 1_000_000 };
  const woken: unknown[] = [];
  const closed = createClosedTargets(
    () => clock.nowMs,
    (one) => woken.push(one),
  );
  return { clock, woken, closed };
}

describe('a target that refused', () => {
  it('is known for as long as it said, and for a second at most', () => {
    const { clock, closed } = opened();
    closed.note('short', target, 300);
    closed.note('long', target, 60_000);
    expect([closed.has('short'), closed.has('long'), closed.has('other')]).toEqual([true, true, false]);
    clock.nowMs += 300;
    expect([closed.has('short'), closed.has('long')]).toEqual([false, true]);
    clock.nowMs += 700;
    expect(closed.has('long')).toBe(false);
  });

  it('is looked at again when something was left to it and it is forgotten, and only then', () => {
    const { clock, woken, closed } = opened();
    closed.note('asked', target, 60_000);
    closed.has('asked');
    closed.forget('asked');
    expect(woken).toEqual([]);
    closed.note('left', target, 60_000);
    closed.has('left', 'leaves');
    clock.nowMs += 1_000;
    expect(closed.has('left', 'leaves')).toBe(false);
    expect(woken).toEqual([target]);
  });

  it('is forgotten in time though nobody asks', async () => {
    const { woken, closed } = opened();
    closed.note('left', target, 5);
    closed.has('left', 'leaves');
    await until(() => woken.length === 1);
    expect(closed.has('left')).toBe(false);
  });
});
