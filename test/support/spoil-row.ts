import { z } from 'zod';
import type { CollectionSpec, Migration, Row, Store } from '../../src/platform/store/collection.ts';

/** What of a declaration names a collection and a row of it. */
export interface AnySpec {
  name: string;
  key: string;
  counter?: string;
  version?: number;
  migrations?: readonly Migration[];
}

/**
 * Puts into a field of a stored row what this release cannot read, as a newer one might; answers how to take it back.
 * @param open Opens one more store on the same data, that knows no collection yet; it is closed by whoever opened it.
 */
export async function spoilRow(
  open: () => Promise<Store>,
  { name, key, counter = 'revision', version = 1, migrations = [] }: AnySpec,
  id: string,
  field: string,
): Promise<() => Promise<void>> {
  const store = await open();
  const schema = z.object({ [key]: z.string(), [field]: z.unknown(), [counter]: z.int() });
  const spec = { name, key, counter, version, migrations, schema, indexes: [] } as unknown as CollectionSpec<Row>;
  const rows = store.collection(spec);
  await store.prepare();
  let found: unknown;
  const set = async (change: (row: Record<string, unknown>) => unknown) => {
    const outcome = await rows.update(id, (row) => ({ ...row, [field]: change({ ...row }) }));
    if (outcome?.changed !== true) throw new Error(`there is no row ${id} of ${name}`);
  };
  await set((row) => {
    found = row[field];
    return { of_a_newer_release: true };
  });
  return () => set(() => found);
}
