import { z } from 'zod';
import type { CollectionSpec } from '../../platform/store/collection.ts';
import { RegistryProperty } from './publisher.ts';

/**
 * A part of a long list of properties, which stands beside its publisher's row. Written once and never changed: each list that
 * is written has an id of its own, and counts from when the row names it.
 */
export const PropertyPage = z.object({
  page_id: z.string(),
  publisher_domain: z.string(),
  list_id: z.string(),
  /** From 0. */
  number: z.number().int(),
  properties: z.array(RegistryProperty),
  created_at: z.string(),
  revision: z.number().int(),
});
export type PropertyPage = z.infer<typeof PropertyPage>;

export const propertyPages: CollectionSpec<PropertyPage> = {
  name: 'property_pages',
  key: 'page_id',
  schema: PropertyPage,
  tells: [],
  indexes: [{ name: 'list', fields: ['publisher_domain', 'list_id'] }],
};

export function pageId(listId: string, number: number): string {
  return `${listId}.${number}`;
}
