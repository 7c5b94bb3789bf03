import { z } from 'zod';
import type { CollectionSpec } from '../../platform/store/collection.ts';

/** Where the registry knows a publisher from (rule R2). */
export const PublisherSource = z.enum(['hosted', 'adagents_json', 'catalog']);
export type PublisherSource = z.infer<typeof PublisherSource>;

/** Something of a publisher's that carries advertising, such as a website or an app. */
export const RegistryProperty = z.object({
  property_id: z.string(),
  property_type: z.string(),
  name: z.string(),
  identifiers: z.array(z.object({ type: z.string(), value: z.string() })),
  tags: z.array(z.string()),
});
export type RegistryProperty = z.infer<typeof RegistryProperty>;

/** A publisher domain that the registry knows, by its canonical form (rule R1). */
export const RegistryPublisher = z.object({
  publisher_domain: z.string(),
  source: PublisherSource,
  /** Whether the publisher itself vouches for its agents: by its own `adagents.json`, or an entry its owner made. */
  verified: z.boolean(),
  properties: z.array(RegistryProperty),
  created_at: z.string(),
  updated_at: z.string(),
  revision: z.number().int(),
});
export type RegistryPublisher = z.infer<typeof RegistryPublisher>;

export const publishers: CollectionSpec<RegistryPublisher> = {
  name: 'publishers',
  key: 'publisher_domain',
  schema: RegistryPublisher,
  indexes: [{ name: 'source', fields: ['source'] }],
};
