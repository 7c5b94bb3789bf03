import { describe, expect, it } from 'vitest';
import { adServerContract } from '../../../src/adservers/kit/ad-server-cases.ts';
import { runContract } from '../../../src/adservers/kit/run-cases.ts';
import type { PortRule } from '../../../src/adservers/kit/demand.ts';
import * as broken from './support/broken-ad-servers.ts';
import * as onTheWay from './support/broken-on-the-way.ts';
import { openEmbedded } from './support/embedded-subject.ts';
import type { Wrapping } from './support/embedded-subject.ts';

/** What each does wrong, the case that is meant for it, and the rule that the case names. */
const CAUGHT: readonly [string, number, PortRule, Wrapping][] = [
  ['checks by putting', 2, 'port', { behind: broken.writesWhenItChecks }],
  ['remembers its orders in its own process', 3, 'port', { behind: onTheWay.remembersInItsOwnProcess }],
  ['makes a second order on repeat', 4, 'P1', { behind: broken.ordersAgainOnRepeat() }],
  ['makes a second order for another process', 5, 'P5', { behind: broken.ordersAgainOnRepeat() }],
  ['answers other digests done', 6, 'P1', { behind: broken.answersOtherDigestsDone }],
  ['takes lower versions', 7, 'P2', { behind: broken.takesLowerVersions }],
  ['refuses but changes', 8, 'P3', { behind: broken.changesWhatItRefuses }],
  ['reuses a refused number', 9, 'P3', { behind: broken.reusesRefusedNumbers() }],
  ['revives an ended order', 10, 'P6', { behind: broken.revivesWhatHasEnded }],
  ['keeps no tombstone', 11, 'P2', { behind: broken.forgetsTombstones }],
  ['starts serving half an order', 13, 'P4', { behind: broken.servesHalfAnOrder }],
  ['starts before it stops', 17, 'P4', { behind: onTheWay.startsBeforeItStops() }],
  ['makes anew what it has had no answer of', 19, 'P5', { behind: onTheWay.makesAnewWithoutLooking() }],
  ['takes a second question for a yes', 20, 'P1', { behind: onTheWay.decidesWhenAskedTwice() }],
  ['forgets when to ask again', 25, 'faults', { before: broken.forgetsWhenToAskAgain }],
  ['invents when to ask again', 26, 'faults', { before: onTheWay.inventsWhenToAskAgain }],
  ['says that nothing was sent when it was', 27, 'faults', { before: broken.saysThatNothingWasSent }],
  ['throws what is no fault of the port', 27, 'faults', { before: broken.throwsWhatItLikes }],
  ['takes a wrong key for an outage', 28, 'faults', { before: broken.takesTheWrongKeyForAnOutage }],
  ['cuts a budget below what is spent', 30, 'port', { behind: broken.cutsBelowWhatIsSpent }],
  ['takes a currency that it does not sell', 31, 'P8', { behind: onTheWay.takesAnyCurrency }],
  ['rounds each hour of a flat fee by itself', 32, 'statements', { behind: onTheWay.roundsEachHour }],
  ['leaves out targeting that it does not have', 33, 'P8', { behind: broken.leavesOutWhatItCannot }],
  ['leaves out targeting that it says it has', 33, 'P8', { behind: broken.widensInSilence }],
  ['drops frequency caps', 34, 'P8', { behind: onTheWay.dropsFrequencyCaps }],
  ['uploads a creative again and again', 35, 'P5', { behind: onTheWay.uploadsAgainAndAgain() }],
  ['swaps creatives with a gap', 36, 'P4', { behind: onTheWay.takesCreativesOffAtChanges }],
  ['states an hour twice', 37, 'statements', { behind: broken.statesAnHourTwice }],
  ['never restates an hour', 37, 'statements', { behind: broken.neverRestates() }],
  ['mends a statement that lies', 38, 'statements', { before: broken.mendsWhatIsStated }],
  ['undoes by repetition what was done by hand', 39, 'P1', { behind: broken.undoesPausesByHand() }],
  ['does not tell what was done by hand', 39, 'port', { behind: broken.keepsPausesByHandToItself }],
];

describe('an ad server that is broken is caught by the case meant for it', () => {
  it.each(CAUGHT)('%s: case %i', async (_, number, rule, wrapping) => {
    const subject = await openEmbedded(wrapping);
    try {
      const cases = adServerContract(subject).filter((one) => one.number === number);
      const { failed } = await runContract(cases);
      expect(failed).toMatchObject([{ number, error: { name: 'RuleBroken', rule } }]);
      expect(failed[0]?.error.message).toMatch(/^\w+: expected .+, found ./);
    } finally {
      await subject.close();
    }
  });
});
