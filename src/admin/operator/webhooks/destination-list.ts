import { z } from 'zod';
import { eachAtOnce } from '../../../platform/each-at-once.ts';
import { startSlices } from '../../../platform/in-slices.ts';
import { Answered, DestinationFigures, MOST_OF_EACH } from '../../../webhooks/delivery/destination-figures.ts';
import type { FiguresLookedAt } from '../../../webhooks/delivery/destination-figures.ts';
import { namesOf, Whose, whose } from '../buys/buy-view.ts';
import { operation } from '../operation.ts';
import type { OperatorDeps } from '../operation.ts';
import { DestinationView, destinationView } from './destinations.ts';

/** So many receivers are looked at side by side. */
const AT_ONCE = 4;
/** And so many in all: those with the most waiting. */
export const MOST_WITH_FIGURES = 25;

/** One receiver among many, with how it did of late. */
export const DestinationInList = DestinationView.extend({
  buyers: z.array(Whose).describe('Whose webhooks go there: of its targets, and of those that figures look at'),
  last_attempt: Answered.nullable().describe(
    'The latest of what waits there, and of what figures look at; null where there is neither, or none was made',
  ),
  last_24_hours: DestinationFigures.extend({
    is_cut: z.boolean().describe(`There are more: only the newest ${MOST_OF_EACH} are looked at`),
  })
    .nullable()
    .describe(`With \`figures\`, of the ${MOST_WITH_FIGURES} with the most waiting; else null`),
});
export type DestinationInList = z.infer<typeof DestinationInList>;

/** The destinations that are paused, or have deliveries waiting; the most waiting first. */
export const listDestinations = operation({
  method: 'get',
  path: '/webhooks/destinations',
  summary:
    'Show the receivers that are paused, or have webhooks waiting, the most waiting first, and how each did of late.',
  role: 'viewer',
  query: z.strictObject({
    /** Whether what was sent there of late is looked at, too. */
    figures: z.literal('true').optional(),
  }),
  answer: z.object({ destinations: z.array(DestinationInList) }),
  async handle({ query: { figures } }, deps) {
    const { operator } = deps.webhooks;
    const [paused, waiting] = await Promise.all([operator.paused(), operator.waiting()]);
    const all = [...new Set([...paused.map(({ destination }) => destination), ...waiting.keys()])];
    const count = (destination: string) => waiting.get(destination)?.count ?? 0;
    all.sort((a, b) => count(b) - count(a));
    const looked = await figuresOfSome(deps, figures === undefined ? [] : all.slice(0, MOST_WITH_FIGURES));
    const names = await namesOf(
      deps.store,
      [...looked.values()].flatMap((one) => [...one.organization_ids]),
    );
    const destinations = await Promise.all(
      all.map(async (destination) => {
        const view = await destinationView(deps, destination, waiting);
        const its = looked.get(destination);
        const others = [...(its?.organization_ids ?? [])].map((id) => whose(id, names));
        return {
          ...view,
          buyers: buyersOf([...view.targets, ...others]),
          last_attempt: later(waiting.get(destination)?.last_attempt, its?.last_attempt),
          last_24_hours: its ?? null,
        };
      }),
    );
    return { destinations };
  },
});

/** Row by row, of each its newest alone. Others have their turn in between. */
async function figuresOfSome(
  { webhooks }: OperatorDeps,
  destinations: readonly string[],
): Promise<Map<string, FiguresLookedAt>> {
  const found = new Map<string, FiguresLookedAt>();
  const slices = startSlices();
  await eachAtOnce(destinations, AT_ONCE, async (destination) => {
    found.set(destination, await webhooks.operator.figures(destination, MOST_OF_EACH));
    if (slices.isOver()) await slices.next();
  });
  return found;
}

/** Each once. */
function buyersOf(all: readonly Whose[]): Whose[] {
  const byId = new Map(all.map((one) => [one.organization_id, Whose.parse(one)]));
  return [...byId.values()];
}

/** The later of two attempts, of which either may be none. */
function later(one: Answered | undefined, other: Answered | null = null): Answered | null {
  if (one === undefined || other === null) return one ?? other;
  return one.started_at >= other.started_at ? one : other;
}
