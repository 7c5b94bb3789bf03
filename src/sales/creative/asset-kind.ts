import { AssetKind } from '../format/format.ts';
import type { Format } from '../format/format.ts';
import { mimeOf } from './asset-mime.ts';
import type { Creative } from './creative.ts';

/** Kinds that a media type tells by how it begins. */
const BY_MEDIA: readonly AssetKind[] = ['image', 'video', 'audio'];

/** What each asset of a creative is, by its key. `format`: its own, where the catalog has it. */
export function assetKindsOf(
  { assets }: Pick<Creative, 'assets'>,
  format: Pick<Format, 'assets'> | undefined,
): Record<string, AssetKind> {
  const rules = new Map(Object.entries(format?.assets ?? {}));
  return Object.fromEntries(Object.entries(assets).map(([key, asset]) => [key, kindOf(asset, rules.get(key)?.kind)]));
}

/**
 * What an asset as stored is: the kind that it was sent with, else that of its format's rule. Where nobody knows it any more, for the
 * format is no longer in the catalog, what its media type tells, else an address or a text. Pure.
 */
function kindOf(asset: Creative['assets'][string], ofFormat: AssetKind | undefined): AssetKind {
  const said = [asset['asset_type'], asset['kind'], ofFormat].map((kind) => AssetKind.safeParse(kind).data);
  const known = said.find((kind) => kind !== undefined);
  if (known !== undefined) return known;
  const { mime_type, url } = asset;
  const told = mimeOf(
    { ...(typeof mime_type === 'string' && { mime_type }), ...(typeof url === 'string' && { url }) },
    'text',
  );
  return (
    BY_MEDIA.find((kind) => told?.startsWith(`${kind}/`)) ??
    (told === 'text/html' ? 'html' : typeof url === 'string' ? 'url' : 'text')
  );
}
