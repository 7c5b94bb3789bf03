import { z } from 'zod';
import { canonicalJson } from '../../../platform/crypto/canonical-json.ts';
import type { Json } from '../operation.ts';

/** What an action changed about its target: the same members in both, null where there was none. */
export const Change = z.object({
  before: z.record(z.string(), z.unknown()),
  after: z.record(z.string(), z.unknown()),
});
export type Change = z.infer<typeof Change>;

/** A longer member, in characters of JSON, is a history or a list with a page of its own, and is not kept. */
const MAX_MEMBER = 500;
/** Move by themselves, or with every write. */
const UNTOLD = /^(revision|row_version|updated_at|last_24_hours)$|_seconds$/;

/** What differs between how a thing was seen before and after; undefined where nothing does that is kept. Pure. */
export function changeBetween(before: Json, after: Json): Change | undefined {
  const differs = (name: string) => {
    const texts = [before, after].map((view) => canonicalJson(view[name] ?? null));
    return !UNTOLD.test(name) && texts[0] !== texts[1] && texts.every(({ length }) => length <= MAX_MEMBER);
  };
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(differs);
  if (names.length === 0) return undefined;
  const of = (view: Json) => Object.fromEntries(names.map((name) => [name, view[name] ?? null]));
  return { before: of(before), after: of(after) };
}
