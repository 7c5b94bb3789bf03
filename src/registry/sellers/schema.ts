import { z } from 'zod';
import { AdsTxtManager } from '../../directory/seller/ads-txt-file.ts';
import { AdsTxtRecord, SellerType } from '../../directory/seller/seller-page.ts';
import { CONFIRMATIONS } from './confirm.ts';
import type { ConfirmationCode } from './confirm.ts';

const time = z.string().nullable();
const CODES = Object.keys(CONFIRMATIONS) as [ConfirmationCode, ...ConfirmationCode[]];
type Status = (typeof CONFIRMATIONS)[ConfirmationCode][0];
const STATUSES = [...new Set(Object.values(CONFIRMATIONS).map(([status]) => status))] as [Status, ...Status[]];

/** Where something was read, how often that is tried, and how it went last. */
const read = {
  source_url: z.string().nullable().describe('What answered in the end; null: nothing is believed of it now'),
  seen_at: time.describe('When it said this'),
  next_read_at: time.describe('Null: it is not read'),
  last_error: z.string().nullable().describe('Of the last try; what was known stays for seven days, of a 404 for one'),
};

const AdsTxtView = z.object({
  source: z.literal('ads_txt'),
  status: z.enum(['read', 'absent', 'unreachable', 'not_read']),
  ...read,
  sellers_count: z.int(),
  systems_count: z.int(),
  systems_followed: z.int().describe('Of how many, the first in the file, the sellers.json is read'),
  owner_domain: z.string().nullable().describe('OWNERDOMAIN'),
  managers: z.array(AdsTxtManager).describe('MANAGERDOMAIN, by country'),
  contacts: z.array(z.string()),
  subdomains: z.array(z.string()),
  inventory_partner_domains: z.array(z.string()),
  bad_lines: z.int(),
  problems: z.array(z.string()).describe('The first 20 bad lines'),
  is_cut: z.boolean().describe('The file is larger than what is read of it'),
});

const ConfirmationView = z.object({
  source: z.literal('sellers_json'),
  status: z.enum(STATUSES),
  code: z.enum(CODES),
  reason: z.string(),
  ...read,
  seller_type: SellerType.nullable(),
  name: z.string().nullable(),
  domain: z.string().nullable(),
  is_confidential: z.boolean(),
  is_passthrough: z.boolean(),
  is_cut: z.boolean().describe('Of the file, as above'),
});

const SellerView = z.object({
  ...AdsTxtRecord.shape,
  certification_id: z.string().nullable(),
  source: z.literal('ads_txt'),
  source_url: z.string().nullable(),
  seen_at: time,
  confirmation: ConfirmationView,
});

/** What is published of a publisher's accounts at ad systems (rule R15.sellers). */
export const PublisherSellers = z.object({
  publisher_domain: z.string(),
  authorizes_agents: z
    .literal(false)
    .describe('An account at an ad system says nothing of who may sell as an agent: ask /api/registry/authorization'),
  ads_txt: AdsTxtView,
  sellers: z.array(SellerView).describe('By ad system, account and relationship'),
  cursor: z.string().nullable().describe('Send it for the next page; null: this was the last'),
  has_more: z.boolean(),
});
export type PublisherSellers = z.infer<typeof PublisherSellers>;
