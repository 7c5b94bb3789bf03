import type { JsonObject } from '../../../platform/json-object.ts';
import type { AssetRule, Format } from '../../../sales/format/format.ts';

/** A creative format in public words. Pure. */
export function formatRow({ format_id, name, description, dimensions, assets }: Format): JsonObject {
  return {
    ...{ format_id, name, description },
    ...(dimensions !== undefined && { renders: [{ role: 'primary', dimensions: { ...dimensions, unit: 'px' } }] }),
    assets: Object.entries(assets).map(([asset_id, rule]) => ({
      ...{ item_type: 'individual', asset_id, asset_type: rule.kind, required: rule.required },
      requirements: requirementsOf(rule),
    })),
  };
}

/** What the file type is called, where that is not the end of the media type. */
const FILE_TYPES: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/svg+xml': 'svg',
  'video/quicktime': 'mov',
  'video/x-matroska': 'mkv',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'aac',
  'audio/x-wav': 'wav',
};

function requirementsOf(rule: AssetRule): JsonObject {
  const { kind, width, height, min_width, min_height, aspect_ratio, max_file_size_kb, max_length } = rule;
  const size = {
    ...sidesOf('width', width, min_width),
    ...sidesOf('height', height, min_height),
    ...(aspect_ratio !== undefined && { aspect_ratio }),
  };
  const file = { ...(max_file_size_kb !== undefined && { max_file_size_kb }) };
  switch (kind) {
    case 'image':
      return { ...size, ...file, ...fileTypes('formats', rule) };
    case 'video':
      return { ...size, ...file, ...lastsFor(rule), ...bitrates(rule), ...fileTypes('containers', rule) };
    case 'audio':
      return { ...file, ...lastsFor(rule), ...bitrates(rule), ...fileTypes('formats', rule) };
    case 'html':
    case 'javascript':
      return file;
    case 'text':
    case 'url':
      return { ...(max_length !== undefined && { max_length }) };
    case 'vast':
      return {};
  }
}

/** An exact side is one that is neither less nor more. */
function sidesOf(side: 'width' | 'height', exact: number | undefined, least: number | undefined): JsonObject {
  if (exact !== undefined) return { [`min_${side}`]: exact, [`max_${side}`]: exact };
  return least === undefined ? {} : { [`min_${side}`]: least };
}

function lastsFor({ duration_ms, min_duration_ms, max_duration_ms }: AssetRule): JsonObject {
  const [least, most] = [duration_ms ?? min_duration_ms, duration_ms ?? max_duration_ms];
  return {
    ...(least !== undefined && { min_duration_ms: least }),
    ...(most !== undefined && { max_duration_ms: most }),
  };
}

function bitrates({ min_bitrate_kbps, max_bitrate_kbps }: AssetRule): JsonObject {
  return {
    ...(min_bitrate_kbps !== undefined && { min_bitrate_kbps }),
    ...(max_bitrate_kbps !== undefined && { max_bitrate_kbps }),
  };
}

function fileTypes(name: 'formats' | 'containers', { mime_types }: AssetRule): JsonObject {
  if (mime_types === undefined) return {};
  return { [name]: [...new Set(mime_types.map((type) => FILE_TYPES[type] ?? type.replace(/^.*\//, '')))] };
}
