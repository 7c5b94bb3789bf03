import { z } from 'zod';
import type { CollectionSpec, Store } from '../collection.ts';

const BackupMark = z.object({
  name: z.literal('last'),
  made_at: z.iso.datetime(),
  rows: z.int(),
  bytes: z.int(),
  revision: z.int(),
});
type BackupMark = z.infer<typeof BackupMark>;

/** When this store was backed up last. */
export const BackupMarks: CollectionSpec<BackupMark> = {
  name: 'backup_marks',
  key: 'name',
  schema: BackupMark,
  indexes: [],
};

/** The last backup that was made and checked; undefined for none. */
export function lastBackup(store: Store): Promise<BackupMark | undefined> {
  return store.collection(BackupMarks).get('last');
}

/** Puts a backup on record, unless a younger one is. */
export async function noteBackup(store: Store, made: Pick<BackupMark, 'made_at' | 'rows' | 'bytes'>): Promise<void> {
  const marks = store.collection(BackupMarks);
  if ((await marks.insert({ name: 'last', ...made, revision: 1 })).inserted) return;
  await marks.update('last', (row) => (row.made_at >= made.made_at ? undefined : { ...row, ...made }));
}
