import type { CallContext } from '../../runtime/task-definition.ts';
import type { TaskRun } from '../../runtime/task-run.ts';
import { deliveredSoFar } from '../../sales/delivery/delivered-so-far.ts';
import type { MediaBuy } from '../../sales/media-buy/media-buy.ts';
import { saidOfBuy } from '../../sales/media-buy/said-of-buy.ts';
import { namedLibrary } from '../../sales/creative/creative-library.ts';
import { creativeNamer, packageCreativeProblems } from '../create-media-buy/package-creatives.ts';
import type { TaskDependencies } from '../dependencies.ts';
import { askedOfPackages } from './new-packages.ts';
import type { UpdateFacts } from './plan.ts';
import type { Updates } from './schema.ts';

/** What updates of a buy are planned against, read now, under an account or none. `run`: absent where they are only checked. */
export async function planFacts(
  deps: TaskDependencies,
  buy: MediaBuy,
  { packages = [], new_packages = [] }: Updates,
  { account_id, said, run }: Pick<CallContext, 'account_id' | 'said'> & { run?: TaskRun },
): Promise<UpdateFacts> {
  const owner = { organization_id: buy.organization_id, account_id };
  const ids = packages.flatMap(({ creative_ids = [] }) => creative_ids);
  const held = buy.packages.flatMap(({ creative_ids }) => creative_ids);
  const productOf = new Map(buy.packages.map((line) => [line.package_id, line.product_id]));
  const bringing = packages.map(({ package_id, creatives }) => ({ product_id: productOf.get(package_id), creatives }));
  const library = await namedLibrary(deps.creatives, owner, ids, held);
  const flightMs = deps.flightClock.now(buy);
  const delivered = await deliveredSoFar(deps.facts, buy, flightMs);
  return {
    ...{ flightMs, library, catalog: deps.catalog, task_id: run?.task_id },
    broughtProblems: await packageCreativeProblems(deps, owner, bringing, ['updates', 'packages']),
    creativeProblems: await packageCreativeProblems(deps, owner, new_packages, ['updates', 'new_packages']),
    nameOf: await creativeNamer(deps, owner, [...bringing, ...new_packages]),
    asked: askedOfPackages(run?.spoken),
    name: saidOfBuy({ asked: said }).name,
    spentMinor: (package_id) => delivered.get(package_id)?.spend_minor ?? 0,
    products: [...new Set(buy.packages.map(({ product_id }) => product_id))].flatMap(
      (product_id) => deps.catalog.products.get(product_id) ?? [],
    ),
  };
}
