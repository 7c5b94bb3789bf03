import type { JsonObject } from '../../../platform/json-object.ts';
import type { Catalog } from '../../../sales/catalog.ts';
import { formatKey } from '../../../sales/format/format.ts';
import type { Format } from '../../../sales/format/format.ts';
import type { Product } from '../../../sales/product/product.ts';

/** The formats of a product as the canonical ones of 3.1; those that none of these is stay in `format_ids` alone. Pure. */
export function formatOptions(product: Product, { formats }: Catalog): JsonObject[] {
  return product.format_ids.flatMap((format_id) => {
    const format = formats.get(formatKey(format_id));
    const format_kind = format && kindOf(format);
    if (format === undefined || format_kind === undefined) return [];
    return [{ format_option_id: format_id.id, format_kind, params: paramsOf(format), v1_format_ref: [format_id] }];
  });
}

/** The canonical kind; undefined where none fits. */
function kindOf({ type, assets }: Format): string | undefined {
  const kinds = new Set(Object.values(assets).map(({ kind }) => kind));
  if (kinds.has('vast')) return 'video_vast';
  if (kinds.has('video')) return 'video_hosted';
  if (kinds.has('audio')) return 'audio_hosted';
  if (type === 'native') return 'native_in_feed';
  if (kinds.has('html')) return 'html5';
  if (kinds.has('javascript')) return 'display_tag';
  return kinds.has('image') ? 'image' : undefined;
}

function paramsOf({ dimensions, duration_ms }: Format): JsonObject {
  const { width, height } = dimensions ?? {};
  return {
    ...(width !== undefined && { width }),
    ...(height !== undefined && { height }),
    ...(duration_ms !== undefined && { duration_ms_exact: duration_ms }),
  };
}
