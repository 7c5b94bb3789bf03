import { isObject } from '../../platform/json-object.ts';

/** Members that a judgement or an answer needs; of an entry that is too large, the others are not kept. */
const NEEDED = [
  ...[
    'url',
    'authorized_for',
    'authorization_type',
    'property_ids',
    'property_tags',
    'inline_properties',
    'properties',
  ],
  ...['publisher_properties', 'signal_ids', 'signal_tags', 'effective_from', 'effective_until', 'valid_until'],
  ...['revoked', 'revoked_at', 'countries', 'delegation_type', 'exclusive'],
  ...['placement_ids', 'placement_tags', 'collections'],
];

/** As published, in characters. */
const MAX_WHOLE = 16_384;
/** With the needed members alone. */
export const MAX_NEEDED = 65_536;
/** JSON may be nested deeper than anything can follow. */
export const MAX_DEPTH = 32;

/** An entry as it is stored: as it was published, or without what nobody needs of it; undefined for one that is too large even so. */
export function storedEntry(raw: unknown): string | undefined {
  if (!isObject(raw) || isDeeper(raw, MAX_DEPTH)) return undefined;
  const whole = JSON.stringify(raw);
  if (whole.length <= MAX_WHOLE) return whole;
  const needed = JSON.stringify(Object.fromEntries(NEEDED.map((name) => [name, raw[name]])));
  return needed.length <= MAX_NEEDED ? needed : undefined;
}

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((member) => isDeeper(member, depth - 1));
}
