import type { JsonObject } from '../../../platform/json-object.ts';
import type { AssetKind, AssetRule, Format } from '../../../sales/format/format.ts';
import type { Release } from '../release.ts';

/** The canonical kinds in which anything is sold here; the protocol has others besides. */
export type CanonicalKind =
  'image' | 'html5' | 'display_tag' | 'video_hosted' | 'video_vast' | 'audio_hosted' | 'audio_vast' | 'native_in_feed';

/** The canonical kind of a format of ours, by what it is and what it cannot do without; undefined where none fits. Pure. */
export function kindOf({ type, assets }: Format, release: Release): CanonicalKind | undefined {
  const needed = new Set(Object.values(assets).flatMap(({ kind, required }) => (required ? [kind] : [])));
  if (release === '3.0') return undefined;
  if (type === 'native') return 'native_in_feed';
  if (type === 'audio' && needed.has('vast')) return release === '3.1' ? undefined : 'audio_vast';
  const known = KINDS.find(([kind]) => needed.has(kind));
  if (known !== undefined) return known[1];
  return isRead({ type, assets }) ? 'audio_hosted' : undefined;
}

/** The first that is needed decides. */
const KINDS: readonly (readonly [AssetKind, CanonicalKind])[] = [
  ['vast', 'video_vast'],
  ['video', 'video_hosted'],
  ['audio', 'audio_hosted'],
  ['html', 'html5'],
  ['javascript', 'display_tag'],
  ['image', 'image'],
];

/** Whether the publisher's own people read out and record what the buyer has written. */
function isRead({ type, assets }: Pick<Format, 'type' | 'assets'>): boolean {
  return type === 'audio' && Object.values(assets).every(({ kind }) => kind === 'text' || kind === 'url');
}

/** What narrows the kind to this format: size, duration, and which assets it takes under which names. Pure. */
export function paramsOf(format: Format, kind: CanonicalKind): JsonObject {
  const { dimensions = {}, duration_ms, assets } = format;
  return {
    ...(SIZED.has(kind) && sizeOf(dimensions)),
    ...(duration_ms !== undefined && TIMED.has(kind) && { duration_ms_exact: duration_ms }),
    ...(isRead(format) && { asset_source: 'publisher_host_recorded' }),
    slots: Object.entries(assets).map(([asset_group_id, rule]) => ({ asset_group_id, ...slotOf(rule) })),
  };
}

const SIZED: ReadonlySet<CanonicalKind> = new Set(['image', 'html5', 'display_tag', 'video_hosted', 'video_vast']);
const TIMED: ReadonlySet<CanonicalKind> = new Set(['video_hosted', 'video_vast', 'audio_hosted', 'audio_vast']);

/** One exact size, or else the bounds: the protocol wants no mix of them. */
function sizeOf({ width, height, ...bounds }: NonNullable<Format['dimensions']>): JsonObject {
  if (width !== undefined && height !== undefined) return { width, height };
  const { aspect_ratio, min_width = width, max_width = width, min_height = height } = bounds;
  return {
    ...(aspect_ratio !== undefined && { aspect_ratio }),
    ...(min_width !== undefined && { min_width }),
    ...(max_width !== undefined && { max_width }),
    ...(min_height !== undefined && { min_height }),
    ...(height !== undefined && { max_height: height }),
  };
}

function slotOf({ kind, required, max_length, max_file_size_kb }: AssetRule): JsonObject {
  const isFile = kind === 'image' || kind === 'video' || kind === 'audio';
  return {
    ...{ asset_type: kind, required },
    ...(kind === 'text' && max_length !== undefined && { max_chars: max_length }),
    ...(isFile && max_file_size_kb !== undefined && { max_size_kb: max_file_size_kb }),
  };
}
