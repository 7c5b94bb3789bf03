import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { CollectionSpec, Store } from '../../platform/store/collection.ts';
import type { RegistryBrand } from './registry-brand.ts';

/** A hint that a brand has a name which reads so, from its beginning or a later word on: whoever finds it asks the brand's row. */
const BrandName = z.object({
  hint_id: z.string(),
  /** Folded (`foldedName`). */
  name: z.string(),
  domain: z.string(),
  expires_at: z.string(),
  revision: z.int(),
});
type BrandName = z.infer<typeof BrandName>;

export const brandNames: CollectionSpec<BrandName> = {
  name: 'brand_names',
  key: 'hint_id',
  schema: BrandName,
  indexes: [{ name: 'name', fields: ['name'] }],
  expires: 'expires_at',
};

/** Of one name, in characters, and of one brand. */
const MOST_LENGTH = 100;
const MOST_WORDS = 4;
const MOST_HINTS = 60;

/** A name as it is compared: without case, width and further spaces. */
export function foldedName(name: string): string {
  return foldedText(name).slice(0, MOST_LENGTH);
}

/** The same of a text, whatever its length. */
export function foldedText(text: string): string {
  return text.normalize('NFKC').toLowerCase().split(/\s+/).filter(Boolean).join(' ');
}

/** What a brand of these names is found by: each from its first words on. */
export function hintsOf(names: readonly string[]): ReadonlySet<string> {
  const hints = names.flatMap((name) => {
    const words = foldedName(name).split(' ');
    return words.slice(0, MOST_WORDS).map((_, i) => words.slice(i).join(' '));
  });
  return new Set(hints.filter((hint) => /[\p{L}\p{N}]/u.test(hint)).slice(0, MOST_HINTS));
}

/** Writes the hints of names that a row is about to have, or has for longer. Safe to repeat. */
export async function keepHints(store: Store, domain: string, names: readonly string[], until: string): Promise<void> {
  const rows = store.collection(brandNames);
  for (const name of hintsOf(names)) {
    const hint_id = hintId(domain, name);
    const { inserted } = await rows.insert({ hint_id, name, domain, expires_at: until, revision: 1 });
    if (!inserted) await rows.update(hint_id, (row) => ({ ...row, expires_at: until }));
  }
}

/** Removes hints that a row no longer stands for: of the names before, but those of the names now. */
export async function dropHints(
  store: Store,
  { domain, identity }: Pick<RegistryBrand, 'domain' | 'identity'>,
  namesNow: readonly string[],
): Promise<void> {
  const kept = hintsOf(namesNow);
  for (const name of hintsOf(identity?.names ?? []))
    if (!kept.has(name)) await store.collection(brandNames).delete(hintId(domain, name));
}

function hintId(domain: string, name: string): string {
  return `${domain}.${createHash('sha256').update(name).digest('base64url')}`;
}
