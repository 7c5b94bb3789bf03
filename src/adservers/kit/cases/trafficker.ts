import type { AdOrder } from '../../../sales/ad-server/ad-order.ts';
import type { LineState } from '../../../sales/ad-server/line-state.ts';
import type { CaseDefinition } from '../kit-case.ts';
import { demand } from '../demand.ts';
import { nextVersion, withLine } from '../sample-order.ts';
import type { FoundOrder, Stage } from '../stage.ts';

/** A person at the ad server: case 39. */
export const TRAFFICKER_CASES: readonly CaseDefinition[] = [
  {
    number: 39,
    name: 'a trafficker pauses, edits, archives: read tells, and the same version again undoes nothing',
    needs: ['trafficker'],
    async run(stage) {
      const paused = await touched(stage, 'pause');
      await demandStays(stage, paused, 'a line paused by hand', ({ line }) => line.state === 'paused' && line.by_hand);
      const next = nextVersion(paused, withLine(paused, 0, { name: 'renamed' }));
      await stage.putDone(next);
      const [line] = (await stage.holds(next, 'port')).lines;
      demand(line?.state !== 'paused', 'port', 'the next version that runs to clear a pause by hand', line);

      const edited = await touched(stage, 'edit');
      await demandStays(stage, edited, 'a difference at the line', ({ held }) =>
        held.differences.some(({ pointer }) => pointer.startsWith('/lines/0')),
      );
      const archived = await touched(stage, 'archive');
      await demandStays(
        stage,
        archived,
        'a line ended by hand',
        ({ held, line }) => held.state === 'ended' || (line.state === 'ended' && line.by_hand),
      );
    },
  },
];

/** A running order after a person has done so to its line. */
async function touched(stage: Stage, action: 'pause' | 'edit' | 'archive'): Promise<AdOrder> {
  const order = await stage.newOrder();
  await stage.putDone(order);
  const { media_buy_id } = order;
  const package_id = order.lines[0]?.package_id ?? '';
  await stage.world.trafficker?.({ media_buy_id, package_id, action });
  return order;
}

/** Demands that this is told, and still is after the same version was put again. */
async function demandStays(
  stage: Stage,
  order: AdOrder,
  expected: string,
  isSo: (told: { held: FoundOrder; line: LineState }) => boolean,
): Promise<void> {
  for (const after of ['', ' after the same version was put again']) {
    if (after !== '') await stage.putDone(order);
    const held = await stage.adServer.read(order.media_buy_id);
    const line = held.found ? held.lines[0] : undefined;
    demand(
      held.found && line !== undefined && isSo({ held, line }),
      after === '' ? 'port' : 'P1',
      `${expected}${after}`,
      held,
    );
  }
}
