import { z } from 'zod';
import type { CollectionSpec } from '../../platform/store/collection.ts';

/** A line of an ads.txt: who may sell through which account of an ad system. It authorizes that account, never an agent. */
export const AdsTxtRecord = z.object({
  /** By rule R1. */
  ad_system: z.string(),
  seller_id: z.string(),
  relationship: z.enum(['DIRECT', 'RESELLER']),
  certification_id: z.string().optional(),
});
export type AdsTxtRecord = z.infer<typeof AdsTxtRecord>;

export const SellerType = z.enum(['PUBLISHER', 'INTERMEDIARY', 'BOTH']);
export type SellerType = z.infer<typeof SellerType>;

/** An entry of an ad system's sellers.json: whose an account is. */
export const Seller = z.object({
  seller_id: z.string(),
  /** Null where the file has none of the three. */
  seller_type: SellerType.nullable(),
  name: z.string().optional(),
  /** By rule R1. */
  domain: z.string().optional(),
  is_confidential: z.literal(true).optional(),
  is_passthrough: z.literal(true).optional(),
});
export type Seller = z.infer<typeof Seller>;

/**
 * A part of a list that stands beside its file's row. Written once and never changed: each list that is written has an id of its own,
 * and counts from when the row names it.
 */
export const SellerPage = z.object({
  page_id: z.string(),
  /** Of the row that it belongs to. */
  file_id: z.string(),
  list_id: z.string(),
  /** From 0. */
  number: z.number().int(),
  records: z.array(AdsTxtRecord).default([]),
  sellers: z.array(Seller).default([]),
  created_at: z.string(),
  revision: z.number().int(),
});
export type SellerPage = z.infer<typeof SellerPage>;

export const sellerPages: CollectionSpec<SellerPage> = {
  name: 'seller_pages',
  key: 'page_id',
  schema: SellerPage,
  indexes: [{ name: 'file_list', fields: ['file_id', 'list_id'] }],
};

export function sellerPageId(listId: string, number: number): string {
  return `${listId}.${number}`;
}
