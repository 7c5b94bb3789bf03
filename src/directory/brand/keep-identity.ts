import { isDeepStrictEqual } from 'node:util';
import { toTimestamp } from '../../platform/clock.ts';
import type { Store } from '../../platform/store/collection.ts';
import { dropHints, keepHints } from './brand-name.ts';
import { BRAND_KEPT_MS, registryBrands } from './registry-brand.ts';
import type { BrandIdentity, RegistryBrand } from './registry-brand.ts';

/**
 * Notes whom a brand's file resolved to, for lists and searches, as long as the file is still that one. Its names can be found before
 * the row has them and a while longer, never for less long.
 */
export async function keepIdentity(
  { store, nowMs }: { store: Store; nowMs: number },
  known: RegistryBrand,
  identity: BrandIdentity,
): Promise<void> {
  const isSame = isDeepStrictEqual(known.identity, identity);
  if (isSame && known.names_until !== null && known.names_until > toTimestamp(nowMs + BRAND_KEPT_MS)) return;
  const names_until = toTimestamp(nowMs + 2 * BRAND_KEPT_MS);
  await keepHints(store, known.domain, identity.names, names_until);
  await store
    .collection(registryBrands)
    .update(known.domain, (row) =>
      row.file?.document_id === known.file?.document_id ? { ...row, identity, names_until } : undefined,
    );
  await dropHints(store, known, identity.names);
}
