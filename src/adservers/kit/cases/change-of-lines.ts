import type { AdOrder } from '../../../sales/ad-server/ad-order.ts';
import { demand } from '../demand.ts';
import { nextVersion, priced } from '../sample-order.ts';
import type { Stage } from '../stage.ts';
import type { WorldWrite } from '../world.ts';

/** A running order of three lines, the last one paused; and a change that pauses one, cuts one and resumes the last. */
export async function changedOrder(stage: Stage): Promise<{ order: AdOrder; change: AdOrder }> {
  const blank = await stage.newOrder({ lines: 3 });
  const order = nextVersion(blank, {
    lines: blank.lines.map((line, i) => (i === 2 ? { ...line, state: 'paused' } : line)),
  });
  await stage.putDone(order);
  const change = nextVersion(order, {
    lines: order.lines.map((line, i) => {
      if (i === 0) return { ...line, state: 'paused' };
      if (i === 1) return priced(line, line.pricing, Math.floor(line.budget_minor / 2));
      return { ...line, state: 'running' };
    }),
  });
  return { order, change };
}

/** Demands that pauses and cuts were written before raises, resumptions and releases (P4). */
export function demandStopsFirst(plan: readonly WorldWrite['kind'][]): void {
  const lastStop = plan.findLastIndex((kind) => kind === 'pause' || kind === 'cut' || kind === 'end');
  const firstStart = plan.findIndex((kind) => kind === 'raise' || kind === 'resume' || kind === 'release');
  demand(firstStart === -1 || lastStop < firstStart, 'P4', 'pauses and cuts before raises and resumptions', plan);
}
