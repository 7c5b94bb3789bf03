import { createHash } from 'node:crypto';
import { withoutQuery } from '../../platform/outbound/without-query.ts';
import type { GateTarget } from '../../platform/redis/target-gate.ts';
import { canonicalTargetUri } from '#receiver/wire/target-uri';

/** Longer than this, a part of a path is no word. */
const MAX_WORD = 32;

/** Longer paths are told apart by so many characters. */
const MAX_PATH = 160;

/**
 * What the gate takes a registered URL for (rule W18): its origin, and its path with `*` in place of what looks like an id.
 * The query is no part of it.
 * @throws {Error} for a URL that was never registered.
 */
export function gateTargetOf({ organization_id, url }: { organization_id: string; url: string }): GateTarget {
  const place = withoutQuery(url);
  const name = `${organization_id} ${place}`;
  const found = known.get(name);
  if (found !== undefined) return found;
  if (known.size >= MAX_KNOWN) known.clear();
  const target = targetOf(organization_id, place);
  known.set(name, target);
  return target;
}

/** They come again with every event of a task and every attempt. */
const known = new Map<string, GateTarget>();
const MAX_KNOWN = 5000;

function targetOf(organization_id: string, url: string): GateTarget {
  const uri = canonicalTargetUri(url);
  if (uri === undefined) throw new Error('a registered URL is not well-formed');
  const path = uri.path.split('/').map(withoutId).join('/');
  return { organization_id, origin: uri.origin, path: path.length > MAX_PATH ? `${path.slice(0, MAX_PATH)}…` : path };
}

/** A target in a few characters: what the rows of one have in common, as an index holds it. */
export function targetKey(target: GateTarget): string {
  const found = keys.get(target);
  if (found !== undefined) return found;
  const { organization_id, origin, path } = target;
  const text = JSON.stringify([organization_id, origin, path]);
  const key = createHash('sha256').update(text).digest('base64url').slice(0, 22);
  keys.set(target, key);
  return key;
}

const keys = new WeakMap<GateTarget, string>();

/**
 * A part of a path is an id when it has a digit and is no version such as `v1` or `v2.1`, or is longer than
 * {@link MAX_WORD}. Two words taken for ids share a gate; an id taken for a word uses up one of the organization's targets.
 */
function withoutId(part: string): string {
  if (/^v\d{1,3}(\.\d{1,3}){0,2}$/i.test(part)) return part;
  return /\d/.test(part) || part.length > MAX_WORD ? '*' : part;
}
