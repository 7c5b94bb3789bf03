import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { CollectionSpec } from '../../platform/store/collection.ts';

/** What a sellers.json says besides its sellers; bounded. */
export const SellersJsonFacts = z.object({
  version: z.string().nullable(),
  contact_email: z.string().nullable(),
  contact_address: z.string().nullable(),
  identifiers: z.array(z.object({ name: z.string(), value: z.string() })),
  /** Entries that are left out: without an id, or with one that came before. */
  bad_entries: z.number().int(),
  problems: z.array(z.string()),
  /** There was more than is read: whoever is not listed may be in the rest. */
  is_cut: z.boolean(),
});
export type SellersJsonFacts = z.infer<typeof SellersJsonFacts>;

/** An ad system's sellers.json as it was read last, once for all publishers that name the system. */
export const SellersJsonFile = z.object({
  /** By {@link sellersJsonId}. */
  file_id: z.string(),
  ad_system: z.string(),
  /** When an ads.txt that was read named the system; to a day. */
  named_at: z.string(),
  /** As of an ads.txt. */
  started_at: z.string().nullable(),
  seen_at: z.string().nullable(),
  source_url: z.string().nullable(),
  etag: z.string().nullable(),
  facts: SellersJsonFacts.nullable(),
  /** Its sellers, on pages by {@link sellerPlace}; null where nothing is believed of it. */
  list: z
    .object({ list_id: z.string(), digest: z.string(), count: z.number().int(), pages: z.number().int() })
    .nullable(),
  revision: z.number().int(),
});
export type SellersJsonFile = z.infer<typeof SellersJsonFile>;

export const sellersJsonFiles: CollectionSpec<SellersJsonFile> = {
  name: 'sellers_json_files',
  key: 'file_id',
  schema: SellersJsonFile,
  indexes: [],
};

export function sellersJsonId(adSystem: string): string {
  return `sellers_json/${adSystem}`;
}

/** On which page of a list a seller is. By the list's id too, so that nobody can choose ids that all meet on one page. */
export function sellerPlace({ list_id, pages }: { list_id: string; pages: number }, sellerId: string): number {
  return createHash('sha256').update(`${list_id} ${sellerId}`).digest().readUInt32BE(0) % pages;
}
