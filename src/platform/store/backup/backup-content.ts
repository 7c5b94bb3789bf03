import { z } from 'zod';
import { BackupFileError, readBackupFile } from './backup-file.ts';
import type { WholeRow } from '../store-driver.ts';

/** The first line of a backup. */
export const BackupHead = z.object({
  made_at: z.iso.datetime(),
  /** The release that made it. */
  release: z.string(),
  store: z.enum(['sqlite', 'mongodb']),
  /** The lines of `DATA_DIR/secret`, where they were asked for. */
  secret: z.array(z.string()).optional(),
});
export type BackupHead = z.infer<typeof BackupHead>;

const Row = z.tuple([z.string(), z.looseObject({})]);
const CollectionBegins = z.object({ collection: z.string() });
const CollectionEnds = z.object({ rows: z.int() });
const End = z.object({ collections: z.int(), rows_in_all: z.int() });

/** What a whole backup holds. */
export interface BackupSummary extends BackupHead {
  /** Rows by collection. */
  counts: Record<string, number>;
  rows: number;
}

/**
 * Reads a backup from end to end and counts.
 * @param take gets each row; without it the file is only checked
 * @throws {BackupFileError} for one whose sum, form or counts are not right.
 */
export async function readBackup(
  file: string,
  take: (collection: string, row: WholeRow) => Promise<void> | void = () => undefined,
): Promise<BackupSummary> {
  let head: BackupHead | undefined;
  let collection: string | undefined;
  let hasEnded = false;
  const counts: Record<string, number> = {};
  const total = () => Object.values(counts).reduce((sum, count) => sum + count, 0);
  const bad = () => new BackupFileError(`${file} is not as backups are, or not whole; take another one`);

  for await (const line of readBackupFile(file)) {
    if (hasEnded) throw bad();
    if (head === undefined) {
      head = parsed(BackupHead, line) ?? fail(bad());
    } else if (collection === undefined) {
      const end = parsed(End, line);
      if (end !== undefined) {
        if (end.rows_in_all !== total() || end.collections !== Object.keys(counts).length) throw bad();
        hasEnded = true;
        continue;
      }
      collection = parsed(CollectionBegins, line)?.collection ?? fail(bad());
      if (collection in counts) throw bad();
      counts[collection] = 0;
    } else if (Array.isArray(line)) {
      const [key, row] = parsed(Row, line) ?? fail(bad());
      counts[collection] = (counts[collection] ?? 0) + 1;
      await take(collection, { key, row });
    } else {
      if (parsed(CollectionEnds, line)?.rows !== counts[collection]) throw bad();
      collection = undefined;
    }
  }
  if (head === undefined || !hasEnded) throw bad();
  return { ...head, counts, rows: total() };
}

function parsed<T>(schema: z.ZodType<T>, line: unknown): T | undefined {
  const found = schema.safeParse(line);
  return found.success ? found.data : undefined;
}

function fail(error: Error): never {
  throw error;
}
