import type { AdOrder } from '../../sales/ad-server/ad-order.ts';
import { demand } from './demand.ts';
import type { Stage } from './stage.ts';
import type { WorldWrite } from './world.ts';

/** What was created for an order; none where the world does not tell. Pure. */
export function createdOf(
  writes: readonly WorldWrite[] | undefined,
  order: Pick<AdOrder, 'media_buy_id'>,
): readonly WorldWrite[] {
  return writesOf(writes, order).filter(({ kind }) => kind === 'create_order' || kind === 'create_line');
}

/** What was written for an order, oldest first. Pure. */
export function writesOf(
  writes: readonly WorldWrite[] | undefined,
  { media_buy_id }: Pick<AdOrder, 'media_buy_id'>,
): readonly WorldWrite[] {
  return (writes ?? []).filter((write) => write.media_buy_id === media_buy_id);
}

/** Demands one native order and one native line a package (P5), where the world tells. */
export async function demandMadeOnce({ world }: Stage, order: AdOrder): Promise<void> {
  if (world.writes === undefined) return;
  const made = createdOf(await world.writes(), order);
  demand(made.filter(({ kind }) => kind === 'create_order').length === 1, 'P5', 'one native order', made);
  for (const { package_id } of order.lines) {
    const lines = made.filter((write) => write.kind === 'create_line' && write.package_id === package_id);
    demand(lines.length === 1, 'P5', `one native line of ${package_id}`, made);
  }
  const lines = made.filter(({ kind }) => kind === 'create_line').length;
  demand(lines === order.lines.length, 'P5', `${order.lines.length} native lines in all`, made);
}
