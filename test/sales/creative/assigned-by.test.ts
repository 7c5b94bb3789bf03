import { describe, expect, it } from 'vitest';
import { assignedBy } from '../../../src/sales/creative/assigned-by.ts';
import { assignmentNote } from '../../../src/sales/creative/assignment-note.ts';
import type { MediaBuyEvent } from '../../../src/sales/media-buy/media-buy.ts';
import { sampleMediaBuy } from '../support/sample-media-buy.ts';

const at = (hour: number) => `2026-03-05T0${hour}:00:00.000Z`;
const BOOKED = at(0);

/** By when a package `p` had the creative `a`, by these events, an hour each. */
function assigned(...events: Partial<MediaBuyEvent>[]): string {
  const [from_status, to_status] = ['active', 'active'] as const;
  const event = { action: 'updated', actor: 'buyer', from_status, to_status, note: null, task_id: null } as const;
  const history = events.map((more, i): MediaBuyEvent => ({ ...event, at: at(i + 1), ...more }));
  return assignedBy(sampleMediaBuy({ created_at: BOOKED, history }), 'p', 'a');
}
const creatives = (added: string[], removed: string[] = []): Partial<MediaBuyEvent> => ({
  ...{ action: 'creatives_assigned', note: assignmentNote(added, removed) },
});
const changed = (note: string, ...affected_packages: string[]): Partial<MediaBuyEvent> => ({ note, affected_packages });

describe('[B11] by when a package had a creative', () => {
  it.each([
    ['the booking', BOOKED, []],
    ['what assigned it, and not others', at(2), [creatives(['b']), creatives(['b', 'a'], ['c']), creatives(['c'])]],
    ["an account's own by its id", at(1), [creatives([`acc_${'0'.repeat(32)}/a`])]],
    ['no event that took it out', BOOKED, [creatives(['b'], ['a']), creatives([], ['a'])]],
    ['what assigned many, which is cut', at(1), [creatives(Array.from({ length: 100 }, (_, i) => `long-name-${i}`))]],
    ['a change of packages that was of this one', at(2), [creatives(['a']), changed('status, packages', 'o', 'p')]],
    [
      'no change of others, nor one of the buy',
      at(1),
      [creatives(['a']), changed('packages', 'o'), changed('end_time', 'p')],
    ],
    [
      'its own booking',
      at(1),
      [{ ...changed('new_packages', 'p'), new_packages: ['p'] }, changed('new_packages', 'q')],
    ],
  ])('is %s', (_, date, events) => {
    expect(assigned(...events)).toBe(date);
  });
});
