import { randomUUID } from 'node:crypto';
import { dropOtherPages } from '../../directory/seller/keep-pages.ts';
import type { CheckDeps } from '../../directory/scheduled-check/scheduled-check.ts';
import { toTimestamp } from '../../platform/clock.ts';
import type { Collection } from '../../platform/store/collection.ts';
import { isOvertaken } from '../crawl/crawl-state.ts';

/** What rows of files have in common. */
interface FileRow {
  file_id: string;
  started_at: string | null;
  list: { list_id: string; digest: string; pages: number } | null;
  revision: number;
}

interface Replacement<R extends FileRow> {
  file_id: string;
  /** When the look began, by the clock, in milliseconds. */
  startedAt: number;
  /** Of the whole list. */
  digest: string;
  /** Writes the list's pages under its id; what is to stand in the row. */
  write: (list: { list_id: string; digest: string }) => Promise<NonNullable<R['list']>>;
  /** The row with this list; from the row that is there, or anew. Pure. */
  rowWith: (row: R | undefined, list: NonNullable<R['list']>) => R;
}

/**
 * Puts another list in the place of a file's. Pages go first, then one compare-and-swap names them, then the former ones go: whatever dies
 * in between, the row names a whole list. A list that is the same is not written again; an older look changes nothing. Answers whether
 * it was taken over.
 */
export async function replaceFile<R extends FileRow>(
  { store, clock }: CheckDeps,
  rows: Collection<R>,
  { file_id, startedAt, digest, write, rowWith }: Replacement<R>,
): Promise<boolean> {
  const isLater = (row: R) =>
    row.started_at !== null && isOvertaken({ started_at: row.started_at }, startedAt, clock.now());
  const present = await rows.get(file_id);
  if (present !== undefined && isLater(present)) return false;
  const kept = present?.list?.digest === digest ? present.list : null;
  const list = kept ?? (await write({ list_id: randomUUID(), digest }));
  const updated = await rows.update(file_id, (row) =>
    // The list that is to stay may have been replaced meanwhile.
    isLater(row) || (kept !== null && row.list?.list_id !== kept.list_id) ? undefined : rowWith(row, list),
  );
  const isTaken = updated?.changed ?? (await rows.insert(rowWith(undefined, list))).inserted;
  const named = isTaken ? list : ((await rows.get(file_id))?.list ?? null);
  const replaced = isTaken ? (present?.list ?? null) : kept === null ? list : null;
  await dropOtherPages({ store, nowMs: clock.now() }, file_id, {
    ...{ named: named?.list_id ?? null, replaced },
  });
  return isTaken;
}

/** Notes that a file is as it was when it was read as `known`. Answers the row. */
export async function sameFile<R extends FileRow & { seen_at: string | null }>(
  { store, clock }: CheckDeps,
  rows: Collection<R>,
  known: R,
  startedAt: number,
): Promise<R | undefined> {
  const at = toTimestamp(startedAt);
  const updated = await rows.update(known.file_id, (row) =>
    row.list?.list_id === known.list?.list_id && (row.started_at ?? '') <= at
      ? { ...row, started_at: at, seen_at: at }
      : undefined,
  );
  const named = updated?.row.list?.list_id ?? null;
  await dropOtherPages({ store, nowMs: clock.now() }, known.file_id, { named, replaced: null });
  return updated?.row;
}

/** Ends what is believed of a file. */
export async function forgetReadFile<R extends FileRow>(
  { store, clock }: CheckDeps,
  rows: Collection<R>,
  file_id: string,
  blank: (row: R) => R,
): Promise<void> {
  const present = await rows.get(file_id);
  if (present === undefined) return;
  const replaced = present.list;
  const updated = await rows.update(file_id, (row) =>
    row.list !== null && row.list.list_id === replaced?.list_id ? blank(row) : undefined,
  );
  if (updated?.row.list === null)
    await dropOtherPages({ store, nowMs: clock.now() }, file_id, { named: null, replaced });
}
