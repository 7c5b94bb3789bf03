import { nearest } from '../../platform/nearest-name.ts';

/** Other names of a media type, none of which is registered; assets that say them are taken as the type that is meant. */
export const MEDIA_TYPE_ALIASES: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'image/svg': 'image/svg+xml',
  'audio/mp3': 'audio/mpeg',
  'audio/x-wav': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/x-m4a': 'audio/mp4',
  'audio/m4a': 'audio/mp4',
  'video/mov': 'video/quicktime',
  'application/x-zip-compressed': 'application/zip',
};

/** What advertising is made of: registered types (IANA), and those of no registry that players and ad servers name. */
const MEDIA_TYPES: readonly string[] = [
  ...['jpeg', 'png', 'gif', 'webp', 'avif', 'apng', 'svg+xml', 'bmp', 'tiff', 'heic', 'heif', 'jxl'].map(of('image')),
  ...['mp4', 'webm', 'quicktime', 'mpeg', 'ogg', '3gpp', '3gpp2', 'mp2t', 'h264', 'h265', 'av1', 'vp9'].map(
    of('video'),
  ),
  ...['mpeg', 'mp4', 'aac', 'wav', 'ogg', 'opus', 'flac', 'webm', '3gpp', 'mp2t', 'mpa'].map(of('audio')),
  ...['html', 'css', 'javascript', 'plain', 'xml', 'csv', 'markdown', 'vtt'].map(of('text')),
  ...['zip', 'gzip', 'xml', 'json', 'pdf', 'javascript', 'ld+json', 'xhtml+xml', 'dash+xml', 'octet-stream'].map(
    of('application'),
  ),
  ...['mp4', 'ogg', 'ttml+xml', 'wasm', 'ecmascript'].map(of('application')),
  ...['woff', 'woff2', 'ttf', 'otf', 'collection'].map(of('font')),
  ...['gltf+json', 'gltf-binary', 'obj', 'stl'].map(of('model')),
];

/** Names of a vendor's or of one's own, which no list can hold (RFC 6838, 3.2 to 3.4). */
const OWN_TREES = /^(?:image|video|audio|text|application|font|model)\/(?:vnd\.|prs\.|x-|x\.)[a-z0-9]/;

/** What is wrong with a media type that a format asks for: nothing that is sent could ever be it. */
export function mediaTypeMistake(text: string): string | undefined {
  const meant = MEDIA_TYPE_ALIASES[text];
  if (meant === undefined && (MEDIA_TYPES.includes(text) || OWN_TREES.test(text))) return undefined;
  const near = meant ?? nearest(text, MEDIA_TYPES);
  return `${text} is no media type; ${near === undefined ? 'send one such as image/png' : `did you mean ${near}?`}`;
}

function of(type: string): (subtype: string) => string {
  return (subtype) => `${type}/${subtype}`;
}
