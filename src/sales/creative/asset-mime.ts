import type { AssetRule } from '../format/format.ts';
import { MEDIA_TYPE_ALIASES } from '../format/media-types.ts';
import type { AssetInput } from './creative-input.ts';

/** Media types by the extension of a file's name. */
const BY_EXTENSION: Readonly<Record<string, string>> = {
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  svg: 'image/svg+xml',
  bmp: 'image/bmp',
  tif: 'image/tiff',
  tiff: 'image/tiff',
  mp4: 'video/mp4',
  m4v: 'video/mp4',
  webm: 'video/webm',
  mov: 'video/quicktime',
  avi: 'video/x-msvideo',
  mkv: 'video/x-matroska',
  mpg: 'video/mpeg',
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  aac: 'audio/aac',
  wav: 'audio/wav',
  ogg: 'audio/ogg',
  flac: 'audio/flac',
  html: 'text/html',
  htm: 'text/html',
  zip: 'application/zip',
  js: 'text/javascript',
  xml: 'application/xml',
  pdf: 'application/pdf',
};

/**
 * The media type of an asset: the one it says, else the one its URL's extension tells, else what inline content of its
 * kind is; undefined when nothing tells.
 */
export function mimeOf(asset: AssetInput, kind: AssetRule['kind']): string | undefined {
  if (asset.mime_type !== undefined) {
    const said = asset.mime_type.split(';', 1)[0]?.trim().toLowerCase() ?? '';
    return MEDIA_TYPE_ALIASES[said] ?? said;
  }
  if (asset.url !== undefined && URL.canParse(asset.url)) {
    const extension = /\.([a-z0-9]{1,5})$/i.exec(new URL(asset.url).pathname)?.[1]?.toLowerCase();
    return extension === undefined ? undefined : BY_EXTENSION[extension];
  }
  return kind === 'html' && asset.content !== undefined ? 'text/html' : undefined;
}
