import { createHash } from 'node:crypto';
import { adsTxtFiles, adsTxtId, recordKey } from '../../directory/seller/ads-txt-file.ts';
import type { AdsTxtFile } from '../../directory/seller/ads-txt-file.ts';
import { keepPages } from '../../directory/seller/keep-pages.ts';
import type { AdsTxtRecord } from '../../directory/seller/seller-page.ts';
import { toTimestamp } from '../../platform/clock.ts';
import { mapInSlices } from '../../platform/in-slices.ts';
import { sortedInSlices } from '../../platform/sorted-in-slices.ts';
import { askForSystems } from './ask-for-sellers.ts';
import { documentUrl } from './document-url.ts';
import { lookAtDocument } from './look-at-document.ts';
import type { SellerLookDeps, SellerLookOptions } from './look-at-document.ts';
import { parseAdsTxt } from './parse-ads-txt.ts';
import { forgetReadFile, replaceFile, sameFile } from './replace-file.ts';

/** What is read of one; a larger one is cut there. */
const MAX_BYTES = 4_000_000;
const LOOK_MS = 9_500;
const RECORDS_OF_PAGE = 500;

/**
 * Reads a publisher's ads.txt and has the sellers.json read that it names. What it says of sellers authorizes no agent. Answers why it
 * failed; null: it did not.
 * @throws the reason of `signal`, as long as nothing was changed.
 */
export async function lookAtAdsTxt(
  deps: SellerLookDeps,
  publisherDomain: string,
  options: SellerLookOptions = {},
): Promise<string | null> {
  const { store, clock } = deps;
  const rows = store.collection(adsTxtFiles);
  const file_id = adsTxtId(publisherDomain);
  const known = await rows.get(file_id);
  return lookAtDocument(
    deps,
    {
      ...{ kind: 'ads_txt', subject: publisherDomain, url: documentUrl(deps, publisherDomain, 'ads.txt') },
      ...{ maxBytes: MAX_BYTES, mostMs: LOOK_MS, accept: 'text/plain', etag: known?.list == null ? null : known.etag },
    },
    {
      async take({ body, isCut, url, etag }, startedAt) {
        const said = await parseAdsTxt(body, isCut);
        if (said === undefined) return 'no line of it is one of an ads.txt';
        const sorted = await inOrder(said.records);
        const digest = createHash('sha256');
        await mapInSlices(sorted, ({ key, record }) => digest.update(`${key} ${record.certification_id ?? ''}\n`));
        const isTaken = await replaceFile(deps, rows, {
          ...{ file_id, startedAt, digest: digest.digest('hex') },
          write: async ({ list_id, digest: whole }) => {
            const pages = pagesOf(sorted);
            await keepPages({ store, nowMs: clock.now() }, { file_id, list_id }, pages);
            const firsts = pages.map(({ records: [first] }) => (first === undefined ? '' : recordKey(first)));
            return { list_id, digest: whole, count: sorted.length, pages: pages.length, firsts };
          },
          rowWith: (row, list): AdsTxtFile => ({
            ...(row ?? { file_id, publisher_domain: publisherDomain, revision: 1 }),
            ...{ started_at: toTimestamp(startedAt), seen_at: toTimestamp(startedAt), source_url: url, etag },
            ...{ facts: said.facts, list },
          }),
        });
        if (isTaken) await askForSystems(deps, said.facts.systems);
        return null;
      },
      async takeSame(startedAt) {
        const row = known && (await sameFile(deps, rows, known, startedAt));
        await askForSystems(deps, row?.facts?.systems ?? []);
      },
      forget: () =>
        forgetReadFile(deps, rows, file_id, (row) => ({
          ...{ ...row, seen_at: null, source_url: null, etag: null, facts: null, list: null },
        })),
    },
    options,
  );
}

async function inOrder(records: readonly AdsTxtRecord[]): Promise<{ key: string; record: AdsTxtRecord }[]> {
  const keyed = await mapInSlices(records, (record) => ({ key: recordKey(record), record }));
  return sortedInSlices(keyed, (a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

function pagesOf(sorted: readonly { record: AdsTxtRecord }[]) {
  const pages: { records: AdsTxtRecord[]; sellers: [] }[] = [];
  for (let i = 0; i < sorted.length; i += RECORDS_OF_PAGE)
    pages.push({ records: sorted.slice(i, i + RECORDS_OF_PAGE).map(({ record }) => record), sellers: [] });
  return pages;
}
