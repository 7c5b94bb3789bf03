import type { JsonObject } from '../../../platform/json-object.ts';
import type { Collection } from '../../../platform/store/collection.ts';
import type { LibraryOwner } from '../../../sales/creative/creative-library.ts';
import { creativeIdOf } from '../../../sales/creative/creative-ref.ts';
import type { MediaBuy } from '../../../sales/media-buy/media-buy.ts';
import { buysOfPackages } from '../../../tasks/own-rows.ts';
import { assertEven, NOT_OF_AN_OPERATION, turnsAt } from '../creative-assignments.ts';
import type { SaidTurn } from '../creative-assignments.ts';
import { refuseUnsupported } from '../unsupported.ts';

/** What of a sync says how creatives take turns. */
interface Said {
  creatives: readonly JsonObject[];
  assignments: readonly (JsonObject & { creative_id: string; package_id: string })[];
  assignment_operations?: readonly JsonObject[] | undefined;
}

/**
 * Takes a sync after which the creatives of every package take even turns, those that it has already among them.
 * @throws {AppError} as {@link assertEven} says.
 */
export async function assertEvenTurns(
  mediaBuys: Collection<MediaBuy>,
  owner: LibraryOwner,
  { creatives, assignments, assignment_operations }: Said,
): Promise<void> {
  const brought = turnsAt(creatives, 'creatives');
  assertEven(brought);
  if (assignment_operations !== undefined)
    for (const { one, at } of brought) refuseUnsupported(one, NOT_OF_AN_OPERATION, { at });
  const byPackage = new Map<string, SaidTurn[]>();
  for (const [i, one] of assignments.entries()) {
    const turns = byPackage.get(one.package_id) ?? [];
    turns.push({ one, at: `assignments[${i}].` });
    byPackage.set(one.package_id, turns);
  }
  const packages = [...byPackage].map(([package_id, assigned]) => {
    const ids = new Set(assigned.map(({ one }) => one['creative_id']));
    const turns = [...assigned, ...brought.filter(({ one }) => ids.has(one['creative_id']))];
    return { package_id, turns, isWeighed: turns.some(({ one }) => one['weight'] !== undefined) };
  });
  const weighed = packages.filter(({ isWeighed }) => isWeighed).map(({ package_id }) => package_id);
  const buys = await buysOfPackages(mediaBuys, owner, weighed);
  for (const { package_id, turns } of packages) {
    const line = buys.get(package_id)?.packages.find((one) => one.package_id === package_id);
    assertEven(turns, line?.creative_ids.map(creativeIdOf));
  }
}
