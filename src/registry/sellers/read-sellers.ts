import { checkId, scheduledChecks } from '../../directory/scheduled-check/scheduled-check.ts';
import type { ScheduledCheck } from '../../directory/scheduled-check/scheduled-check.ts';
import { sellerPageId, sellerPages } from '../../directory/seller/seller-page.ts';
import type { AdsTxtRecord, Seller } from '../../directory/seller/seller-page.ts';
import { sellerPlace, sellersJsonFiles, sellersJsonId } from '../../directory/seller/sellers-json-file.ts';
import type { SellersJsonFile } from '../../directory/seller/sellers-json-file.ts';
import type { Store } from '../../platform/store/collection.ts';

/** What is known of the account that a record names. */
export interface KnownSeller {
  file: SellersJsonFile | undefined;
  check: ScheduledCheck | undefined;
  /** Undefined where the file does not list it, or nothing is believed of the file. */
  seller: Seller | undefined;
}

/** Pages that are read at once: each is judged by its schema then, and nobody is to wait for many. */
const AT_ONCE = 10;
const TRIES = 10;

/** Of each record, what its ad system's sellers.json says; in their order. */
export async function sellersOf(store: Store, records: readonly AdsTxtRecord[]): Promise<KnownSeller[]> {
  const systems = [...new Set(records.map(({ ad_system }) => ad_system))];
  const checks = await store.collection(scheduledChecks).getMany(systems.map((one) => checkId('sellers_json', one)));
  const checkOf = new Map(checks.map((check) => [check.subject, check]));
  const known = new Map<AdsTxtRecord, KnownSeller>();
  let left = records;
  // Again for those whose list was replaced meanwhile.
  for (let i = 0; i < TRIES && left.length > 0; i++) {
    const replaced: AdsTxtRecord[] = [];
    const wanted = [...new Set(left.map(({ ad_system }) => ad_system))];
    const files = await store.collection(sellersJsonFiles).getMany(wanted.map(sellersJsonId));
    const fileOf = new Map(files.map((file) => [file.ad_system, file]));
    const pageOf = await readPages(
      store,
      left.flatMap((record) => placeOf(fileOf.get(record.ad_system), record) ?? []),
    );
    for (const record of left) {
      const file = fileOf.get(record.ad_system);
      const place = placeOf(file, record);
      const sellers = place === undefined ? [] : pageOf.get(place);
      if (sellers === undefined) replaced.push(record);
      else {
        const seller = sellers.find(({ seller_id }) => seller_id === record.seller_id);
        known.set(record, { file, check: checkOf.get(record.ad_system), seller });
      }
    }
    left = replaced;
  }
  return records.map((record) => {
    const one = known.get(record);
    if (one === undefined) throw new Error(`the sellers of ${record.ad_system} are not there: a page is lost`);
    return one;
  });
}

/** The id of the page that would have the account. */
function placeOf(file: SellersJsonFile | undefined, { seller_id }: AdsTxtRecord): string | undefined {
  return file?.list == null ? undefined : sellerPageId(file.list.list_id, sellerPlace(file.list, seller_id));
}

async function readPages(store: Store, ids: readonly string[]): Promise<Map<string, readonly Seller[]>> {
  const wanted = [...new Set(ids)];
  const found = new Map<string, readonly Seller[]>();
  for (let i = 0; i < wanted.length; i += AT_ONCE) {
    const pages = await store.collection(sellerPages).getMany(wanted.slice(i, i + AT_ONCE));
    for (const { page_id, sellers } of pages) found.set(page_id, sellers);
  }
  return found;
}
