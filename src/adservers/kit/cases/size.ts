import { MediaBuyId } from '../../../sales/media-buy/media-buy-id.ts';
import type { AdOrder } from '../../../sales/ad-server/ad-order.ts';
import type { CaseDefinition } from '../kit-case.ts';
import { demand, demandEqual } from '../demand.ts';
import { nextVersion, sealed } from '../sample-order.ts';
import type { Stage } from '../stage.ts';
import { demandMadeOnce } from '../writes.ts';

const LINES = 100;
/** An order of one line more than the limit is made only where the limit is not above this. */
const MOST_LINES_MADE = 1000;
/** 255 characters, two of them an emoji. */
const NAME = `${'Zoë & Ünal “Frühling” [2026] '.repeat(12).slice(0, 253)}🌷`;
const ODD = `[x] "quoted" 'it' ü/%2F?#`;

/** Large orders and odd names: case 40. */
export const SIZE_CASES: readonly CaseDefinition[] = [
  {
    number: 40,
    name: '100 lines, 100 creatives, names of 255 characters with emoji, ids with brackets and quotes',
    alsoUses: ['writes'],
    async run(stage) {
      const { lines_per_order } = stage.description.limits;
      const order = await largeOrder(stage, Math.min(LINES, lines_per_order));
      await stage.putDone(order);
      const held = await stage.holds(order, 'port', await stage.openAnother());
      demandEqual(Object.keys(held.native.lines).length, order.lines.length, 'port', 'a native id of each line');
      const again = await stage.putDone(order);
      demandEqual(again.native, held.native, 'P5', 'the same native ids again');
      await demandMadeOnce(stage, order);
      const paused = nextVersion(order, { state: 'paused' });
      await stage.putDone(paused);
      await stage.holds(paused, 'P1');
      if (lines_per_order > MOST_LINES_MADE) return;
      const over = await stage.newOrder({ lines: lines_per_order + 1 });
      const answer = await stage.putDecided(over);
      const isTold = answer.outcome === 'refused' && answer.reasons.some(({ code }) => code === 'limit');
      demand(isTold, 'P8', `an order of ${lines_per_order + 1} lines refused for its limit`, answer);
    },
  },
];

async function largeOrder(stage: Stage, count: number): Promise<AdOrder> {
  const blank = await stage.newOrder({ lines: count });
  const lines: AdOrder['lines'] = [];
  for (const line of blank.lines) {
    const creative = await stage.approvedCreative({ name: NAME });
    lines.push({ ...line, package_id: `${line.package_id} ${ODD}`, name: NAME, creatives: [creative] });
  }
  const media_buy_id = MediaBuyId.parse(`${blank.media_buy_id} ${ODD}`);
  return sealed({ ...blank, media_buy_id, name: NAME, lines }, 1);
}
