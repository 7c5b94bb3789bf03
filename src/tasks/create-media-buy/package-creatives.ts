import { canonicalJson } from '../../platform/crypto/canonical-json.ts';
import { creativesSeen } from '../../sales/creative/creative-library.ts';
import type { LibraryOwner } from '../../sales/creative/creative-library.ts';
import { creativeRef } from '../../sales/creative/creative-ref.ts';
import type { CreativeInput } from '../../sales/creative/creative-input.ts';
import { readCreative } from '../../sales/creative/read-creative.ts';
import { upsertCreative } from '../../sales/creative/upsert.ts';
import type { UpsertCause } from '../../sales/creative/upsert.ts';
import type { Format } from '../../sales/format/format.ts';
import type { TaskDependencies } from '../dependencies.ts';
import { misfitProblems, namedCreativeProblems } from '../named-creatives.ts';
import type { Library } from '../named-creatives.ts';
import type { Problem } from '../../platform/errors.ts';
import type { PackageParts } from './parts.ts';
import type { PackageRequest } from './schema.ts';

/** Creatives that come with a request, in all its packages together. */
const MAX_INLINE = 100;

interface Sent {
  creative: CreativeInput;
  format: Format;
}

/** The creatives a package names or brings, each once, by id. */
export function creativeIdsOf({ creative_ids = [], creatives = [] }: PackageParts): string[] {
  return [...new Set([...creative_ids, ...creatives.map(({ creative_id }) => creative_id)])];
}

/** The name in a row of what an id means; see `creativeRef`. */
export type NameCreative = (creative_id: string) => string;

/** Names the creatives of packages: what they bring is of the owner's library, whether it is stored yet or not. */
export async function creativeNamer(
  { creatives }: Pick<TaskDependencies, 'creatives'>,
  owner: LibraryOwner,
  packages: readonly PackageParts[],
): Promise<NameCreative> {
  const { account_id } = owner;
  const brought = new Set(packages.flatMap(({ creatives: sent = [] }) => sent.map(({ creative_id }) => creative_id)));
  const named = packages.flatMap(creativeIdsOf).filter((id) => !brought.has(id));
  const seen = await creativesSeen(creatives, owner, named);
  return (creative_id) =>
    creativeRef(brought.has(creative_id) ? { account_id, creative_id } : (seen.get(creative_id) ?? { creative_id }));
}

/**
 * What is wrong with the creatives of packages: those they name are to be the caller's, those they bring to fit their format,
 * and the product to take either (rules B11, B13). A package may name a creative that another brings. `at`: where they stand.
 */
export async function packageCreativeProblems(
  deps: Pick<TaskDependencies, 'creatives' | 'catalog'>,
  owner: LibraryOwner,
  packages: readonly PackageParts[],
  at: readonly PropertyKey[] = ['packages'],
): Promise<Problem[]> {
  const named = packages.flatMap(({ creative_ids = [] }) => creative_ids);
  const library: Library = await creativesSeen(deps.creatives, owner, named);
  const brought = packages.flatMap(({ creatives = [] }) => creatives);
  const afterwards: Library = new Map([
    ...library,
    ...brought.map((sent) => [sent.creative_id, { ...sent, status: 'processing' as const }] as const),
  ]);
  const problems = [
    ...packages.flatMap((wanted, i) => problemsOfPackage(deps, wanted, [...at, i], afterwards)),
    ...contradictions(packages, at),
  ];
  if (brought.length > MAX_INLINE) {
    const message = `bring ${brought.length} creatives; bring at most ${MAX_INLINE}, and sync the others first`;
    problems.push({ code: 'INVALID_REQUEST', path: at, message });
  }
  return problems;
}

/** Stores the creatives that come with a request that was checked; each once, however often it is repeated. */
export async function upsertPackageCreatives(
  deps: Pick<TaskDependencies, 'creatives' | 'catalog'>,
  packages: readonly Pick<PackageRequest, 'creatives'>[],
  cause: UpsertCause,
): Promise<void> {
  const sent = new Map<string, Sent>();
  for (const creative of packages.flatMap(({ creatives = [] }) => creatives)) {
    const read = readCreative(creative, ['creatives'], deps.catalog);
    if (!read.ok) throw new Error(`creative ${creative.creative_id} no longer fits its format`);
    sent.set(creative.creative_id, read);
  }
  for (const { creative, format } of sent.values()) await upsertCreative(deps.creatives, creative, format, cause);
}

function problemsOfPackage(
  { catalog }: Pick<TaskDependencies, 'catalog'>,
  { product_id = '', creative_ids = [], creatives = [] }: PackageParts,
  at: readonly PropertyKey[],
  library: Library,
): Problem[] {
  const product = catalog.products.get(product_id);
  return [
    ...namedCreativeProblems(creative_ids, [...at, 'creative_ids'], library, product),
    ...creatives.flatMap((creative, j) => {
      const path = [...at, 'creatives', j];
      const read = readCreative(creative, path, catalog);
      if (!read.ok) return read.problems;
      return misfitProblems(library.get(creative.creative_id), [...path, 'format_id'], product);
    }),
  ];
}

/** One id can name one creative only: the same creative may come with several packages, two different ones may not. */
function contradictions(packages: readonly PackageParts[], at: readonly PropertyKey[]): Problem[] {
  const seen = new Map<string, string>();
  return packages.flatMap(({ creatives = [] }, i) =>
    creatives.flatMap((creative, j): Problem[] => {
      const content = canonicalJson(creative);
      const earlier = seen.get(creative.creative_id) ?? content;
      seen.set(creative.creative_id, earlier);
      if (earlier === content) return [];
      const message = `${creative.creative_id} is sent earlier in this request with other content; give each its own id`;
      return [{ code: 'INVALID_REQUEST', path: [...at, i, 'creatives', j, 'creative_id'], message }];
    }),
  );
}
