import { z } from 'zod';
import { Channel, Domain, Identifier, Text, distinct } from '../catalog-values.ts';

export const PropertyType = z.enum(['website', 'mobile_app', 'ctv_app', 'podcast', 'streaming_audio', 'newsletter']);
export type PropertyType = z.infer<typeof PropertyType>;

/** By what an impression on the property is recognised. */
export const PropertyIdentifier = z.strictObject({
  type: z.enum([
    'domain',
    'subdomain',
    'ios_bundle',
    'android_package',
    'apple_tv_bundle',
    'bundle_id',
    'rss_url',
    'podcast_guid',
    'stream_url',
    'list_id',
  ]),
  value: Text,
});
export type PropertyIdentifier = z.infer<typeof PropertyIdentifier>;

/** A place where advertising runs: a site, an app, a podcast (`catalog/properties.json`). */
export const Property = z.strictObject({
  property_id: Identifier,
  property_type: PropertyType,
  name: Text,
  description: Text.optional(),
  /** The domain whose `adagents.json` speaks for the property. */
  publisher_domain: Domain,
  identifiers: z.array(PropertyIdentifier).min(1),
  tags: distinct(Identifier),
  channels: distinct(Channel),
});
export type Property = z.infer<typeof Property>;
