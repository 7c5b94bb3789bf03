import { z } from 'zod';
import { Channel } from '../../sales/catalog-values.ts';
import { Property } from '../../sales/property/property.ts';
import { readFields } from '../mutation-fields.ts';

/** The request of `list_authorized_properties` (rule C.tasks.lists). */
export const ListAuthorizedPropertiesRequest = z.strictObject(readFields);
export type ListAuthorizedPropertiesRequest = z.infer<typeof ListAuthorizedPropertiesRequest>;

/** The response of `list_authorized_properties`. */
export const ListAuthorizedPropertiesResponse = z.strictObject({
  /** Each domain's `adagents.json` is where a buyer finds this agent confirmed. Sorted. */
  publisher_domains: z.array(z.string()),
  primary_channels: z.array(Channel),
  /** ISO 3166-1 alpha-2. */
  primary_countries: z.array(z.string()),
  portfolio_description: z.string(),
  advertising_policies: z.string(),
  properties: z.array(Property),
});
export type ListAuthorizedPropertiesResponse = z.infer<typeof ListAuthorizedPropertiesResponse>;
