import type { LineTargeting } from './line-targeting.ts';
import { namedIn } from './named-values.ts';
import type { NamedValues } from './named-values.ts';
import type { OfferedTargeting } from './offered-targeting.ts';
import { covers, isExtent, offeredOn } from './offers.ts';
import type { TargetingOverlay } from './targeting-overlay.ts';

type Axis = keyof LineTargeting;

/**
 * What the ad server is told of an overlay: the product narrowed by it (rule B14). Countries and devices are always told,
 * being all that the product reaches; the other axes where the overlay names them. Where it is not known what was offered
 * (rows of 0.1.0), the overlay alone. Pure.
 */
export function toldTargeting(overlay: TargetingOverlay, offered: OfferedTargeting | undefined): LineTargeting {
  const named = namedIn(overlay);
  const axes = new Set<Axis>([
    ...(offered === undefined ? [] : (['countries', 'devices'] as const)),
    ...named.map(({ axis }) => axis),
  ]);
  return Object.fromEntries([...axes].map((axis) => [axis, choiceOn(axis, named, offered)]));
}

function choiceOn(axis: Axis, named: readonly NamedValues[], offered: OfferedTargeting | undefined) {
  const asked = valuesOf(named, axis, 'any');
  const none = valuesOf(named, axis, 'none') ?? [];
  const available = offered && offeredOn(axis, offered);
  const chosen = asked?.filter((value) => available === undefined || covers(axis, available, value));
  const any = chosen ?? (isExtent(axis) && offered !== undefined ? offered[axis] : undefined);
  const isComplete = isExtent(axis) && any !== undefined;
  return {
    ...(any !== undefined && { any: any.filter((value) => !none.includes(value)) }),
    ...(none.length > 0 && !isComplete && { none }),
  };
}

/** All that is named on one side of an axis, each once; undefined where nothing is. */
function valuesOf(named: readonly NamedValues[], axis: Axis, side: NamedValues['side']): string[] | undefined {
  const lists = named.filter((one) => one.axis === axis && one.side === side);
  return lists.length === 0 ? undefined : [...new Set(lists.flatMap(({ values }) => values))];
}
