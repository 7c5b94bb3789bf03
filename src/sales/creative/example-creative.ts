import type { AssetRule, Format } from '../format/format.ts';
import type { AssetInput, CreativeInput } from './creative-input.ts';

const FILE_BY_MIME: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'video/mp4': 'mp4',
  'audio/mpeg': 'mp3',
  'text/html': 'html',
  'application/xml': 'xml',
};

/** A creative that fits a format, with what the format requires and nothing else: for examples and demos. Pure. */
export function exampleCreative(format: Format, creative_id: string, name: string): CreativeInput {
  const required = Object.entries(format.assets).filter(([, rule]) => rule.required);
  const assets = Object.fromEntries(required.map(([key, rule]) => [key, exampleAsset(key, rule)]));
  return { creative_id, name, format_id: format.format_id, assets, tags: [] };
}

function exampleAsset(key: string, rule: AssetRule): AssetInput {
  if (rule.kind === 'text') return { content: 'Acme Outdoor'.slice(0, rule.max_length) };
  if (rule.kind === 'url') return { url: 'https://acme-outdoor.example/trail-shoes' };
  const { width, height } = sizeOf(rule);
  const duration_ms = rule.duration_ms ?? rule.min_duration_ms ?? rule.max_duration_ms;
  const isTimed = rule.kind === 'video' || rule.kind === 'audio';
  const mime = rule.mime_types?.find((type) => FILE_BY_MIME[type] !== undefined) ?? rule.mime_types?.[0];
  const file = `${key}${width === undefined ? '' : `-${width}x${height}`}`;
  const extension = mime === undefined ? '' : `.${FILE_BY_MIME[mime] ?? ''}`;
  return {
    url: `https://cdn.acme-outdoor.example/trail-shoes/${file}${extension === '.' ? '' : extension}`,
    ...(extension === '.' && { mime_type: mime }),
    ...(width !== undefined && { width, height }),
    ...(isTimed && duration_ms !== undefined && { duration_ms }),
  };
}

/** The least size that the rule takes, in its shape. */
function sizeOf(rule: AssetRule): { width?: number; height?: number } {
  const { width = rule.min_width, height = rule.min_height, aspect_ratio } = rule;
  const [across = 1, down = 1] = aspect_ratio?.split(':').map(Number) ?? [];
  if (width === undefined && height === undefined) return {};
  if (width === undefined) return { width: Math.round(((height ?? 1) * across) / down), height: height ?? 1 };
  return { width, height: height ?? Math.round((width * down) / across) };
}
