import { nearest } from '../../platform/nearest-name.ts';
import type { AssetRule, Format } from '../format/format.ts';
import { DURATION_TOLERANCE_MS, isOfShape } from '../format/measures.ts';
import type { AssetInput } from './creative-input.ts';
import { mimeOf } from './asset-mime.ts';

/** One thing wrong with a creative's assets. `path` is below `assets`, `message` what and how to mend it. */
export interface AssetProblem {
  path: readonly string[];
  message: string;
  suggestion?: string;
}

/** Kinds that live at a URL; the rest may be sent inline, as `content`. */
const BY_URL: readonly AssetRule['kind'][] = ['image', 'video', 'audio', 'url'];

type Check = (asset: AssetInput, rule: AssetRule) => AssetProblem[];

/**
 * Checks assets against a format's asset schema (rule B11): names, kinds, what is required, size and shape,
 * duration, media type, weight, and https for every URL. Pure; finds every problem.
 */
export function checkAssets(format: Format, assets: Readonly<Record<string, AssetInput>>): AssetProblem[] {
  const rules = Object.entries(format.assets);
  const missing = rules
    .filter(([key, rule]) => rule.required && assets[key] === undefined)
    .map(([key, { kind }]): AssetProblem => {
      return { path: [key], message: `required by format ${format.format_id.id}; send ${anAsset(kind)}` };
    });
  const wrong = Object.entries(assets).flatMap(([key, asset]) => {
    const rule = Object.hasOwn(format.assets, key) ? format.assets[key] : undefined;
    if (rule === undefined) return [unknownAsset(key, format)];
    return checkAsset(asset, rule).map((problem) => ({ ...problem, path: [key, ...problem.path] }));
  });
  return [...missing, ...wrong];
}

function unknownAsset(key: string, format: Format): AssetProblem {
  const known = Object.keys(format.assets);
  const near = nearest(key, known);
  const message = `format ${format.format_id.id} has no such asset; it has ${known.join(', ')}`;
  return { path: [key], message, ...(near !== undefined && { suggestion: near }) };
}

function checkAsset(asset: AssetInput, rule: AssetRule): AssetProblem[] {
  const ofAnotherKind = checkKind(asset, rule);
  if (ofAnotherKind.length > 0) return ofAnotherKind;
  const checks: Check[] = [checkSource, checkSides, checkShape, checkDuration, checkBitrate, checkMime, checkWeight];
  return checks.flatMap((check) => check(asset, rule));
}

const checkKind: Check = (asset, rule) =>
  (['asset_type', 'kind'] as const).flatMap((field) => {
    const said = asset[field];
    return said === undefined || said === rule.kind ? [] : [problem(field, `must be ${rule.kind}, not ${said}`)];
  });

const checkSource: Check = ({ url, content }, rule) => {
  if (url !== undefined && rule.kind !== 'text') return checkUrl(url);
  if (BY_URL.includes(rule.kind)) return [problem('url', 'required; send an https URL')];
  if (content === undefined || content.trim() === '') {
    return [problem('content', `required; send the text${rule.kind === 'text' ? '' : ', or a url to it'}`)];
  }
  const length = Array.from(content).length;
  if (rule.max_length === undefined || length <= rule.max_length) return [];
  return [problem('content', `has ${length} characters; send at most ${rule.max_length}`)];
};

function checkUrl(text: string): AssetProblem[] {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return [problem('url', 'is not a URL; send an absolute https URL')];
  if (url.protocol !== 'https:') return [problem('url', 'must be https')];
  if (url.username !== '' || url.password !== '') return [problem('url', 'must not carry a user name or password')];
  return [];
}

const checkSides: Check = (asset, rule) =>
  (['width', 'height'] as const).flatMap((side) => {
    const exact = rule[side];
    const least = rule[`min_${side}`];
    const has = asset[side];
    if (exact === undefined && least === undefined) return [];
    if (has === undefined) return [problem(side, `required; send ${exact ?? `${least} or more`}`)];
    if (exact !== undefined && has !== exact) return [problem(side, `is ${has}; must be ${exact}`)];
    if (least !== undefined && has < least) return [problem(side, `is ${has}; must be at least ${least}`)];
    return [];
  });

const checkShape: Check = ({ width, height }, { aspect_ratio }) => {
  if (aspect_ratio === undefined || width === undefined || height === undefined) return [];
  if (isOfShape(width, height, aspect_ratio)) return [];
  return [problem('width', `${width}×${height} is not of the shape ${aspect_ratio}`)];
};

const checkDuration: Check = ({ duration_ms: has }, rule) => {
  const { duration_ms: exact, min_duration_ms: least, max_duration_ms: most } = rule;
  const bounds = [exact, least && `at least ${least}`, most && `at most ${most}`].filter(Boolean).join(' and ');
  if (bounds === '') return [];
  if (has === undefined) {
    const isTold = rule.kind === 'video' || rule.kind === 'audio';
    return isTold ? [problem('duration_ms', `required; send ${bounds} milliseconds`)] : [];
  }
  const fits =
    (exact === undefined || Math.abs(has - exact) <= DURATION_TOLERANCE_MS) &&
    (least === undefined || has >= least) &&
    (most === undefined || has <= most);
  return fits ? [] : [problem('duration_ms', `is ${has}; must be ${bounds} milliseconds`)];
};

const checkBitrate: Check = ({ bitrate_kbps: has }, { min_bitrate_kbps: least, max_bitrate_kbps: most }) => {
  if (has === undefined) return [];
  if (least !== undefined && has < least) return [problem('bitrate_kbps', `is ${has}; must be at least ${least}`)];
  if (most !== undefined && has > most) return [problem('bitrate_kbps', `is ${has}; must be at most ${most}`)];
  return [];
};

/** A media type that nothing tells is left to the review, which sees the file. */
const checkMime: Check = (asset, { kind, mime_types }) => {
  const mime = mimeOf(asset, kind);
  if (mime_types === undefined || mime === undefined || mime_types.includes(mime)) return [];
  const field = asset.mime_type === undefined ? 'url' : 'mime_type';
  return [problem(field, `is ${mime}; must be ${mime_types.join(' or ')}`)];
};

const checkWeight: Check = ({ file_size_kb, file_size_bytes, content }, { max_file_size_kb: most }) => {
  if (most === undefined) return [];
  const told: [string, number | undefined][] = [
    ['file_size_kb', file_size_kb],
    ['file_size_bytes', file_size_bytes === undefined ? undefined : file_size_bytes / 1024],
    ['content', content === undefined ? undefined : Buffer.byteLength(content) / 1024],
  ];
  return told.flatMap(([field, kb]) =>
    kb !== undefined && kb > most ? [problem(field, `is ${Math.ceil(kb)} kB; must be at most ${most} kB`)] : [],
  );
};

function problem(field: string, message: string): AssetProblem {
  return { path: [field], message };
}

function anAsset(kind: AssetRule['kind']): string {
  return kind === 'image' || kind === 'audio' || kind === 'html' ? `an ${kind} asset` : `a ${kind} asset`;
}
