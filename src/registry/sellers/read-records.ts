import { adsTxtFiles, recordKey } from '../../directory/seller/ads-txt-file.ts';
import type { AdsTxtFile } from '../../directory/seller/ads-txt-file.ts';
import { sellerPageId, sellerPages } from '../../directory/seller/seller-page.ts';
import type { AdsTxtRecord } from '../../directory/seller/seller-page.ts';
import type { Store } from '../../platform/store/collection.ts';

export interface RecordPage {
  records: AdsTxtRecord[];
  /** The key of the last, where there are more. */
  next: string | null;
  /** The row that they are of: as it was given, or later. */
  file: AdsTxtFile;
}

/** How often a list that is replaced while it is read is read anew. */
const TRIES = 10;

/**
 * Records of an ads.txt behind a key, in order, of which each begins with `prefix`. Since they have an order of their own, pages of a file
 * that changes in between have no gaps and no doubles but for what changed. Reads as many pages of the list as it takes, mostly one.
 * @throws {Error} for a list whose pages are gone though the row names it.
 */
export async function recordsBehind(
  store: Store,
  file: AdsTxtFile,
  { after, prefix, limit }: { after: string; prefix: string; limit: number },
): Promise<RecordPage> {
  const from = after > prefix ? after : prefix;
  let row: AdsTxtFile | undefined = file;
  for (let i = 0; i < TRIES && row !== undefined; i++) {
    const found: AdsTxtRecord[] | undefined = await readFrom(store, row.list, { from, prefix, most: limit + 1 });
    if (found !== undefined) {
      const last = found[limit - 1];
      return { records: found.slice(0, limit), next: found.length > limit && last ? recordKey(last) : null, file: row };
    }
    row = await store.collection(adsTxtFiles).get(file.file_id);
  }
  throw new Error(`the records of ${file.file_id} are not there: its list has lost a page`);
}

/** Undefined where a page is missing: the list has been replaced. */
async function readFrom(
  store: Store,
  list: AdsTxtFile['list'],
  { from, prefix, most }: { from: string; prefix: string; most: number },
): Promise<AdsTxtRecord[] | undefined> {
  const found: AdsTxtRecord[] = [];
  if (list === null) return found;
  const { list_id, firsts } = list;
  const later = firsts.findIndex((first) => first > from);
  for (let n = Math.max(0, (later === -1 ? firsts.length : later) - 1); n < firsts.length; n++) {
    const page = await store.collection(sellerPages).get(sellerPageId(list_id, n));
    if (page === undefined) return undefined;
    for (const record of page.records) {
      const key = recordKey(record);
      if (key <= from) continue;
      if (!key.startsWith(prefix) || found.length === most) return found;
      found.push(record);
    }
  }
  return found;
}
