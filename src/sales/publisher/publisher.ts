import { z } from 'zod';
import { Channel, Country, Currency, Domain, Text, WebUrl, distinct } from '../catalog-values.ts';

/** Who sells: the house behind the titles (`catalog/publisher.json`). */
export const SellingPublisher = z.strictObject({
  name: Text,
  description: Text,
  /** Where buyers meet the house; one of `domains`. */
  primary_domain: Domain,
  /** Every domain the house sells for. A property's `publisher_domain` is one of these. */
  domains: distinct(Domain).min(1),
  url: WebUrl,
  contact: z.strictObject({ name: Text, email: z.email(), phone: Text.optional() }),
  /** The currency of pricing options that name none. */
  default_currency: Currency,
  /** IANA name; the hours of the sales desk, not of reports, which are in UTC. */
  time_zone: Text.optional(),
  countries: distinct(Country),
  channels: distinct(Channel),
  policies: z.strictObject({
    /** What a buyer's planner should know before sending anything. */
    advertising: Text,
    prohibited_categories: distinct(Text),
    restricted_categories: z.array(z.strictObject({ category: Text, condition: Text })),
    cancellation: Text,
    creative_review: Text,
    data_protection: Text,
  }),
});
export type SellingPublisher = z.infer<typeof SellingPublisher>;
