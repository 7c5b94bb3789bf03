import type { JsonObject } from '../../../platform/json-object.ts';
import { formatOf } from '../../../sales/catalog.ts';
import type { Catalog } from '../../../sales/catalog.ts';
import type { CreativeView } from '../../../sales/creative/creative-view.ts';
import type { AssetKind } from '../../../sales/format/format.ts';

/** What the protocol wants every asset of a type to have. */
const NEEDS: Readonly<Record<AssetKind, readonly string[]>> = {
  image: ['url', 'width', 'height'],
  video: ['url', 'width', 'height'],
  audio: ['url'],
  html: ['content'],
  javascript: ['content'],
  vast: ['delivery_type'],
  text: ['content'],
  url: ['url'],
};

/**
 * The assets of a creative in public words, each with its type: the one that it was sent with, else that of its format. Where nobody knows
 * it any more, for the format is no longer in the catalog, or where it lacks what the protocol wants of that type, an asset is told as what
 * it is to whoever reads it: an address, or a text. Pure.
 */
export function assetsTold({ assets, format_id }: CreativeView, catalog: Catalog): JsonObject {
  const rules = formatOf(catalog, format_id)?.assets;
  return Object.fromEntries(Object.entries(assets).map(([key, asset]) => [key, assetTold(asset, rules?.[key]?.kind)]));
}

function assetTold({ kind, asset_type, ...asset }: JsonObject, ofFormat: AssetKind | undefined): JsonObject {
  const known = asset_type ?? kind ?? ofFormat;
  const told = known === 'vast' ? { delivery_type: 'url' in asset ? 'url' : 'inline', ...asset } : asset;
  const needs = Object.entries(NEEDS).find(([name]) => name === known)?.[1];
  const isWhole = needs?.every((name) => name in told) === true;
  return { ...told, asset_type: isWhole ? known : 'url' in asset ? 'url' : 'text' };
}
