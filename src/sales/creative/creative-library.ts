import type { OrganizationId } from '../../platform/organization-id.ts';
import { allRows } from '../../platform/store/all-rows.ts';
import type { Collection, Where } from '../../platform/store/collection.ts';
import { creativeKey } from './creative.ts';
import type { Creative } from './creative.ts';
import { creativeIdOf, creativeRef } from './creative-ref.ts';

/**
 * Which creative an id means is decided here and nowhere else (rule D4.creatives): an account's own first, then that of the library
 * which all accounts of the organization share; without an account, that alone. What a row names stays what it is, see `creativeRef`.
 */

/** Whose libraries a call sees: under an account, its own and the shared one. */
export interface LibraryOwner {
  organization_id: OrganizationId;
  /** Absent: the call is under none, as all in our own words are. */
  account_id?: string | undefined;
}

interface Reading {
  /** For who only adds to what is shown. */
  skipUnreadable?: boolean;
}

/** The creatives that these ids mean to the owner, by id (rules T5, D4.creatives). */
export async function creativesSeen(
  creatives: Collection<Creative>,
  owner: LibraryOwner,
  creative_ids: readonly string[],
  reading: Reading = {},
): Promise<ReadonlyMap<string, Creative>> {
  const ids = new Set(creative_ids);
  const keys = [...ids].flatMap((id) => keysSeen(owner, id));
  const rows = keys.length === 0 ? [] : await creatives.getMany(keys, reading);
  // An id that is written as another account's name of a creative is no id of one.
  const found = rows.filter((row) => ids.has(row.creative_id));
  const own = found.filter(({ account_id }) => account_id !== undefined);
  const shared = found.filter(({ account_id }) => account_id === undefined);
  return new Map([...shared, ...own].map((row) => [row.creative_id, row]));
}

/** The keys of all that an id may mean to the owner. Pure. */
function keysSeen({ organization_id, account_id }: LibraryOwner, creative_id: string): string[] {
  const shared = creativeKey(organization_id, creative_id);
  return account_id === undefined
    ? [shared]
    : [creativeKey(organization_id, creativeRef({ account_id, creative_id })), shared];
}

/** Those of these ids that name something in any library of the organization. */
export async function idsOfAll(
  creatives: Collection<Creative>,
  organization_id: OrganizationId,
  creative_ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  if (creative_ids.length === 0) return found;
  const query = {
    where: { organization_id, creative_id: { in: [...new Set(creative_ids)] } },
    sort: { field: 'created_at', direction: 'asc' } as const,
  };
  for await (const { creative_id } of allRows(creatives, query)) found.add(creative_id);
  return found;
}

/** The creatives that rows of an organization name, by name. */
export async function creativesNamed(
  creatives: Collection<Creative>,
  organization_id: OrganizationId,
  refs: readonly string[],
  reading: Reading = {},
): Promise<ReadonlyMap<string, Creative>> {
  const keys = [...new Set(refs)].map((ref) => creativeKey(organization_id, ref));
  const rows = keys.length === 0 ? [] : await creatives.getMany(keys, reading);
  return new Map(rows.map((row) => [creativeRef(row), row]));
}

/** What ids mean in the packages of one request. */
export interface NamedLibrary {
  owner: LibraryOwner;
  /** Those that the owner sees, by id. */
  seen: ReadonlyMap<string, Creative>;
  /** Those that the packages named before, by name. */
  held: ReadonlyMap<string, Creative>;
}

/** What the ids of a request mean, and what packages that it changes name by now. */
export async function namedLibrary(
  creatives: Collection<Creative>,
  owner: LibraryOwner,
  creative_ids: readonly string[],
  held: readonly string[] = [],
): Promise<NamedLibrary> {
  const ids = new Set(creative_ids);
  const again = held.filter((ref) => ids.has(creativeIdOf(ref)));
  return {
    owner,
    seen: await creativesSeen(creatives, owner, creative_ids),
    held: await creativesNamed(creatives, owner.organization_id, again),
  };
}

/**
 * What ids mean in a package that names these by now, by id. Under an account an id means what the account sees, and what the package
 * names already where it sees none; without an account it means what the package names already, for who changes a list of
 * ids tells those again that are to stay. Pure.
 */
export function libraryOf({ owner, seen, held }: NamedLibrary, refs: readonly string[]): ReadonlyMap<string, Creative> {
  const kept = new Map<string, Creative>();
  for (const ref of refs) {
    const creative = held.get(ref);
    if (creative !== undefined) kept.set(creative.creative_id, creative);
  }
  return owner.account_id === undefined ? new Map([...seen, ...kept]) : new Map([...kept, ...seen]);
}

/** The library that a call writes, and whose creatives alone it archives. */
export function ownLibrary({ organization_id, account_id }: LibraryOwner) {
  return { organization_id, account_id: account_id ?? null } satisfies Where<Creative>;
}

/** All that a call sees; under an account still with those that are hidden, see {@link withoutHidden}. */
export function seenLibrary({ organization_id, account_id }: LibraryOwner) {
  return {
    organization_id,
    account_id: account_id === undefined ? null : { in: [account_id, null] },
  } satisfies Where<Creative>;
}

/** The rows without what an account's own hide from it: shared ones of the same id. */
export async function withoutHidden(
  creatives: Collection<Creative>,
  { organization_id, account_id }: LibraryOwner,
  rows: readonly Creative[],
): Promise<Creative[]> {
  const shared = rows.filter((row) => row.account_id === undefined);
  if (account_id === undefined || shared.length === 0) return [...rows];
  const keyOf = ({ creative_id }: Creative) => creativeKey(organization_id, creativeRef({ account_id, creative_id }));
  const own = await creatives.getField(shared.map(keyOf), 'creative_id');
  return rows.filter((row) => row.account_id !== undefined || !own.has(keyOf(row)));
}
