import type { Catalog } from '../../sales/catalog.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import type { AdcpCreative } from './create-media-buy/schema.ts';
import { formatRefKey } from './refs.ts';
import type { FormatRef } from './refs.ts';

/** The name of a format as the catalog writes it, however its agent's address is written. */
export function formatNamer({ formats }: Catalog): (format_id: FormatRef) => JsonObject {
  const known = new Map([...formats.values()].map(({ format_id }) => [formatRefKey(format_id), format_id]));
  return ({ agent_url, id }) => ({ ...(known.get(formatRefKey({ agent_url, id })) ?? { agent_url, id }) });
}

/** A creative in our own fields; what is missing is left for its own check to tell. Pure. */
export function ourCreative(creative: AdcpCreative, nameFormat: ReturnType<typeof formatNamer>): JsonObject {
  const { creative_id, name, format_id, assets, tags } = creative;
  return {
    ...{ creative_id, name },
    ...(format_id !== undefined && { format_id: nameFormat(format_id) }),
    ...(assets !== undefined && { assets }),
    ...(tags !== undefined && { tags }),
  };
}
