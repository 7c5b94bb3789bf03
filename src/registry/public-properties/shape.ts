import { z } from 'zod';
import type { PublisherSource, RegistryProperty } from '../../directory/publisher/publisher.ts';

/** Sources in the words of the public registry; `discovered` is what the catalog alone names. */
export const PublicSource = z.enum(['adagents_json', 'hosted', 'discovered']);

export function publicSource(source: PublisherSource): z.infer<typeof PublicSource> {
  return source === 'catalog' ? 'discovered' : source;
}

/** A property by the public registry's names, beside those of adagents.json. */
export const PublicProperty = z.object({
  id: z.string().optional(),
  type: z.string(),
  name: z.string(),
  identifiers: z.array(z.object({ type: z.string(), value: z.string() })),
  tags: z.array(z.string()),
  supported_channels: z.array(z.string()).optional().describe('As the file states them'),
  property_id: z.string().optional(),
  property_type: z.string(),
  publisher_domain: z.string().optional().describe("Whose it is, where it is not the file's own publisher's"),
});

export function publicProperty(property: RegistryProperty): z.infer<typeof PublicProperty> {
  const { property_id: id, property_type: type } = property;
  return { ...(id !== undefined && { id }), type, ...property };
}
