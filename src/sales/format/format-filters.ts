import { z } from 'zod';
import { AssetKind, FormatId, FormatType, formatKey } from './format.ts';
import type { Dimensions, Format } from './format.ts';

const Pixels = z.int('must be a whole number of pixels').min(0, 'must not be negative').optional();

/** The filters of `list_creative_formats`. All that are given must hold; an empty list asks nothing. */
export const formatFilterFields = {
  format_types: z.array(FormatType).optional(),
  format_ids: z.array(FormatId).max(1000).optional(),
  asset_types: z.array(AssetKind).optional().describe('Takes an asset of every one of these kinds.'),
  /** Sides in pixels, inclusive. A format that adapts matches with any size it can take; one without a size never. */
  min_width: Pixels,
  max_width: Pixels,
  min_height: Pixels,
  max_height: Pixels,
  is_responsive: z.boolean().optional().describe('Adapts its width to where it is shown.'),
  name_search: z.string().max(200).optional().describe('Part of the name, in any case.'),
};
export const FormatFilters = z.object(formatFilterFields);
export type FormatFilters = z.infer<typeof FormatFilters>;

/** The formats that pass every filter, in the order given. Pure. */
export function filterFormats(formats: Iterable<Format>, filters: FormatFilters): Format[] {
  const { format_types = [], format_ids = [], asset_types = [], is_responsive, name_search = '' } = filters;
  const keys = new Set(format_ids.map(formatKey));
  const part = name_search.trim().toLowerCase();
  return [...formats].filter((format) => {
    const kinds = Object.values(format.assets).map(({ kind }) => kind);
    return (
      (format_types.length === 0 || format_types.includes(format.type)) &&
      (keys.size === 0 || keys.has(formatKey(format.format_id))) &&
      asset_types.every((kind) => kinds.includes(kind)) &&
      hasSize(format.dimensions, filters) &&
      (is_responsive === undefined || isResponsive(format) === is_responsive) &&
      format.name.toLowerCase().includes(part)
    );
  });
}

function isResponsive({ dimensions }: Format): boolean {
  return dimensions !== undefined && dimensions.width === undefined;
}

function hasSize(dimensions: Dimensions | undefined, filters: FormatFilters): boolean {
  const { min_width, max_width, min_height, max_height } = filters;
  if ([min_width, max_width, min_height, max_height].every((bound) => bound === undefined)) return true;
  if (dimensions === undefined) return false;
  const { width, height } = dimensions;
  const across = { least: width ?? dimensions.min_width ?? 0, most: width ?? dimensions.max_width ?? Infinity };
  const down = { least: height ?? dimensions.min_height ?? 0, most: height ?? Infinity };
  return (
    across.most >= (min_width ?? 0) &&
    across.least <= (max_width ?? Infinity) &&
    down.most >= (min_height ?? 0) &&
    down.least <= (max_height ?? Infinity)
  );
}
