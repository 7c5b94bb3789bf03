/**
 * How rows name a creative: what a buyer's `creative_id` comes to once it is known whose library it is of. One of the library that all
 * accounts of an organization share has its id for a name, which is what rows of former releases have; one of an account's own has the
 * account's id in front of it. The ad server is told the same name.
 */

/** The id of an account, and what parts it from an id of a creative; no creative's own id begins so. */
const OF_ACCOUNT = /^(?<account_id>acc_[0-9a-f]{32})\//;

/** The name of a creative among those of its organization. Pure. */
export function creativeRef({ account_id, creative_id }: { account_id?: string | undefined; creative_id: string }) {
  return account_id === undefined ? creative_id : `${account_id}/${creative_id}`;
}

/** What its buyer calls it. Pure. */
export function creativeIdOf(ref: string): string {
  return ref.replace(OF_ACCOUNT, '');
}

/** Whose it is, and what its buyer calls it. Pure. */
export function partsOfRef(ref: string): { account_id: string | undefined; creative_id: string } {
  return { account_id: OF_ACCOUNT.exec(ref)?.groups?.['account_id'], creative_id: creativeIdOf(ref) };
}

/** Whether an id could be taken for the name of an account's own creative. Pure. */
export function looksOwned(creative_id: string): boolean {
  return OF_ACCOUNT.test(creative_id);
}

/** The names with one more: in the place of another of the same id, for a package has one creative of an id, or at the end. Pure. */
export function withCreativeRef(refs: readonly string[], ref: string): string[] {
  const at = refs.findIndex((one) => creativeIdOf(one) === creativeIdOf(ref));
  return at === -1 ? [...refs, ref] : refs.with(at, ref);
}
