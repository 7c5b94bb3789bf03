import { createHash } from 'node:crypto';
import { endCheck } from '../../directory/scheduled-check/scheduled-check.ts';
import { isOlderThan } from '../../directory/scheduled-check/grace.ts';
import { dropOtherPages, keepPages } from '../../directory/seller/keep-pages.ts';
import type { Seller } from '../../directory/seller/seller-page.ts';
import { sellerPlace, sellersJsonFiles, sellersJsonId } from '../../directory/seller/sellers-json-file.ts';
import type { SellersJsonFile } from '../../directory/seller/sellers-json-file.ts';
import { atMost } from '../../platform/at-most.ts';
import type { AtMost } from '../../platform/at-most.ts';
import { toTimestamp } from '../../platform/clock.ts';
import { mapInSlices } from '../../platform/in-slices.ts';
import type { Store } from '../../platform/store/collection.ts';
import { nameSystem } from './ask-for-sellers.ts';
import { documentUrl } from './document-url.ts';
import { lookAtDocument } from './look-at-document.ts';
import type { SellerLookDeps, SellerLookOptions } from './look-at-document.ts';
import { parseSellersJson } from './parse-sellers-json.ts';
import { forgetReadFile, replaceFile, sameFile } from './replace-file.ts';

/** What is read of one; a larger one is cut there. */
const MAX_BYTES = 24_000_000;
const LOOK_MS = 20_000;
/** On average: who looks for one reads a page. */
const SELLERS_OF_PAGE = 64;
/** A system that no ads.txt has named for this long is looked at no more; in milliseconds. */
const UNNAMED_MS = 14 * 24 * 3_600_000;

/**
 * Reads an ad system's sellers.json, or ends looking at it, since nobody names it any more. Answers why it failed; null: it did not.
 * @throws the reason of `signal`, as long as nothing was changed.
 */
export async function lookAtSellersJson(
  deps: SellerLookDeps,
  adSystem: string,
  options: SellerLookOptions = {},
): Promise<string | null> {
  const { store, clock } = deps;
  const rows = store.collection(sellersJsonFiles);
  const file_id = sellersJsonId(adSystem);
  const known = await rows.get(file_id);
  if (known === undefined) await nameSystem(deps, adSystem, toTimestamp(clock.now()));
  else if (isOlderThan(UNNAMED_MS, known.named_at, clock.now())) {
    await endLooks(deps, known);
    return null;
  }
  return lookAtDocument(
    deps,
    {
      ...{ kind: 'sellers_json', subject: adSystem, url: documentUrl(deps, adSystem, 'sellers.json') },
      ...{ maxBytes: MAX_BYTES, mostMs: LOOK_MS, accept: 'application/json' },
      etag: known?.list == null ? null : known.etag,
    },
    {
      take: ({ body, isCut, url, etag }, startedAt) =>
        oneAtOnce(store)(async () => {
          const said = await parseSellersJson(body, { isCut });
          if ('reason' in said) return said.reason;
          const { sellers, facts } = said;
          const digest = createHash('sha256');
          await mapInSlices(sellers, (seller) => digest.update(JSON.stringify(seller)));
          await replaceFile(deps, rows, {
            ...{ file_id, startedAt, digest: digest.digest('hex') },
            write: async (named) => {
              const list = { ...named, count: sellers.length, pages: pagesFor(sellers) };
              await keepPages(
                { store, nowMs: clock.now() },
                { file_id, list_id: named.list_id },
                await pagesOf(list, sellers),
              );
              return list;
            },
            rowWith: (row, list): SellersJsonFile => ({
              ...(row ?? { file_id, ad_system: adSystem, named_at: toTimestamp(startedAt), revision: 1 }),
              ...{ started_at: toTimestamp(startedAt), seen_at: toTimestamp(startedAt), source_url: url, etag },
              ...{ facts, list },
            }),
          });
          return null;
        }),
      async takeSame(startedAt) {
        if (known !== undefined) await sameFile(deps, rows, known, startedAt);
      },
      forget: () =>
        forgetReadFile(deps, rows, file_id, (row) => ({
          ...{ ...row, seen_at: null, source_url: null, etag: null, facts: null, list: null },
        })),
    },
    options,
  );
}

/** Large ones take memory while they are taken over: in one process one after the other. */
const TAKEN_OVER = new WeakMap<Store, AtMost>();

function oneAtOnce(store: Store): AtMost {
  const known = TAKEN_OVER.get(store) ?? atMost(1);
  TAKEN_OVER.set(store, known);
  return known;
}

/** Whoever names it meanwhile keeps it. */
async function endLooks({ store, clock }: SellerLookDeps, { file_id, ad_system, revision, list }: SellersJsonFile) {
  if (!(await store.collection(sellersJsonFiles).delete(file_id, revision))) return;
  await dropOtherPages({ store, nowMs: clock.now() }, file_id, { named: null, replaced: list });
  await endCheck({ store }, 'sellers_json', ad_system);
}

function pagesFor(sellers: readonly Seller[]): number {
  return Math.max(1, Math.ceil(sellers.length / SELLERS_OF_PAGE));
}

async function pagesOf(list: { list_id: string; pages: number }, sellers: readonly Seller[]) {
  const pages = Array.from({ length: list.pages }, () => ({ records: [] as [], sellers: [] as Seller[] }));
  await mapInSlices(sellers, (seller) => pages[sellerPlace(list, seller.seller_id)]?.sellers.push(seller));
  return pages;
}
