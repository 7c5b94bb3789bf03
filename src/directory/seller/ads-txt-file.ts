import { z } from 'zod';
import type { CollectionSpec } from '../../platform/store/collection.ts';

/** Whom a publisher's ads.txt names for a part of what it sells. */
export const AdsTxtManager = z.object({
  domain: z.string(),
  /** ISO 3166-1; null: for every country that has none of its own. */
  country: z.string().nullable(),
  /** It does not speak for the publisher to agents (`#noagents`). */
  no_agents: z.boolean(),
});
export type AdsTxtManager = z.infer<typeof AdsTxtManager>;

/** What an ads.txt says besides its records; bounded. */
export const AdsTxtFacts = z.object({
  owner_domain: z.string().nullable(),
  managers: z.array(AdsTxtManager),
  contacts: z.array(z.string()),
  subdomains: z.array(z.string()),
  inventory_partner_domains: z.array(z.string()),
  /** Lines that say nothing that can be used. */
  bad_lines: z.number().int(),
  /** The first of them, in our own words, by their numbers. */
  problems: z.array(z.string()),
  /** There was more than is read: these are its beginning. */
  is_cut: z.boolean(),
  /** How many ad systems have a record. */
  systems_count: z.number().int(),
  /** The first of them, whose sellers.json is read. */
  systems: z.array(z.string()),
});
export type AdsTxtFacts = z.infer<typeof AdsTxtFacts>;

/** A publisher's ads.txt as it was read last. */
export const AdsTxtFile = z.object({
  /** By {@link adsTxtId}. */
  file_id: z.string(),
  publisher_domain: z.string(),
  /** Of the look that counts: of those that were taken over, the one that began last. */
  started_at: z.string(),
  /** When it was seen to say this; null where nothing is believed of it. */
  seen_at: z.string().nullable(),
  /** What answered in the end. */
  source_url: z.string().nullable(),
  etag: z.string().nullable(),
  /** Null likewise. */
  facts: AdsTxtFacts.nullable(),
  /** Its records, in the order of {@link recordKey}, on pages; null likewise. */
  list: z
    .object({
      list_id: z.string(),
      digest: z.string(),
      count: z.number().int(),
      pages: z.number().int(),
      /** The key of the first record on each page. */
      firsts: z.array(z.string()),
    })
    .nullable(),
  revision: z.number().int(),
});
export type AdsTxtFile = z.infer<typeof AdsTxtFile>;

export const adsTxtFiles: CollectionSpec<AdsTxtFile> = {
  name: 'ads_txt_files',
  key: 'file_id',
  schema: AdsTxtFile,
  indexes: [],
};

export function adsTxtId(publisherDomain: string): string {
  return `ads_txt/${publisherDomain}`;
}

/** What records are ordered and told apart by: no part has a space. */
export function recordKey(record: { ad_system: string; seller_id: string; relationship: string }): string {
  return `${record.ad_system} ${record.seller_id} ${record.relationship}`;
}
