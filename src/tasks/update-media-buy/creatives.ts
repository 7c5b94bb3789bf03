import { canonicalJson } from '../../platform/crypto/canonical-json.ts';
import type { Problem } from '../../platform/errors.ts';
import { libraryOf } from '../../sales/creative/creative-library.ts';
import type { NamedLibrary } from '../../sales/creative/creative-library.ts';
import { creativeRef, withCreativeRef } from '../../sales/creative/creative-ref.ts';
import type { MediaBuy } from '../../sales/media-buy/media-buy.ts';
import type { MediaBuyPackage } from '../../sales/media-buy/media-buy-package.ts';
import type { Product } from '../../sales/product/product.ts';
import { namedCreativeProblems } from '../named-creatives.ts';
import type { NameCreative } from '../create-media-buy/package-creatives.ts';
import type { PackageUpdate, Updates } from './schema.ts';

/** What an update's creatives are checked against, besides the buy. */
interface CreativeFacts {
  /** What the ids that the updates name mean. */
  library: NamedLibrary;
  /** The products of the buy that are still in the catalog. */
  products: readonly Product[];
}

/** A package's creatives are checked as those of a new buy. One that the buy does not have is a problem already. */
export function creativeProblems(buy: MediaBuy, updates: Updates, { library, products }: CreativeFacts): Problem[] {
  const brought = new Set(updates.packages?.flatMap(({ creatives = [] }) => creatives.map(idOfCreative)));
  return (updates.packages ?? []).flatMap(({ package_id, creative_ids = [] }, i) => {
    const line = buy.packages.find((one) => one.package_id === package_id);
    const product = products.find(({ product_id }) => product_id === line?.product_id);
    const meant = libraryOf(library, line?.creative_ids ?? []);
    // What an entry of the request brings is judged where it is brought.
    const at = ['updates', 'packages', i, 'creative_ids'];
    return creative_ids.flatMap((id, j) =>
      brought.has(id)
        ? []
        : namedCreativeProblems([id], at, meant, product).map((problem) => ({ ...problem, path: [...at, j] })),
    );
  });
}

/** One id is one creative: what packages of the buy bring and what new ones bring must be the same. */
export function broughtTwice({ packages = [], new_packages = [] }: Updates): Problem[] {
  const known = new Map(
    packages.flatMap(({ creatives = [] }) => creatives.map((one) => [one.creative_id, canonicalJson(one)] as const)),
  );
  return new_packages.flatMap(({ creatives = [] }, i) =>
    creatives.flatMap((one, j): Problem[] => {
      const earlier = known.get(one.creative_id);
      if (earlier === undefined || earlier === canonicalJson(one)) return [];
      const path = ['updates', 'new_packages', i, 'creatives', j, 'creative_id'];
      const message = `${one.creative_id} is sent earlier in this request with other content; give each its own id`;
      return [{ code: 'INVALID_REQUEST', path, message }];
    }),
  );
}

function idOfCreative({ creative_id }: { creative_id: string }): string {
  return creative_id;
}

/** What a package serves then: those that it has or is given by name, and those that are brought for it. */
export function changedCreatives(
  line: MediaBuyPackage,
  { packages = [] }: Updates,
  { library, nameOf: nameBrought }: Pick<CreativeFacts, 'library'> & { nameOf: NameCreative },
): string[] {
  const wanted: Partial<PackageUpdate> = packages.find(({ package_id }) => package_id === line.package_id) ?? {};
  const meant = libraryOf(library, line.creative_ids);
  const brought = new Set(packages.flatMap(({ creatives = [] }) => creatives.map(idOfCreative)));
  const nameOf = (creative_id: string) =>
    brought.has(creative_id) ? nameBrought(creative_id) : creativeRef(meant.get(creative_id) ?? { creative_id });
  const named = wanted.creative_ids === undefined ? line.creative_ids : [...new Set(wanted.creative_ids.map(nameOf))];
  const own = (wanted.creatives ?? []).map(idOfCreative);
  return own.map(nameOf).reduce<string[]>(withCreativeRef, named);
}
