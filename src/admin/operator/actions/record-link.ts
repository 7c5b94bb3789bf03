import { z } from 'zod';
import { canonicalDigest } from '../../../platform/crypto/canonical-json.ts';
import type { Change } from './change.ts';

/**
 * The place of one write among those of the process that made it: it names the write before by its hash, so that none can be altered
 * or taken away without a trace.
 */
export const RecordLink = z.strictObject({
  /** One process, since it began, or since a write of its failed. */
  chain: z.string(),
  /** From 1. */
  place: z.int().positive(),
  /** {@link linkHash} of the link before, and when that was written; null of the first. */
  before: z.string().nullable(),
  before_at: z.string().nullable(),
  at: z.string(),
  /** {@link contentHash} of the row as it was written. */
  content: z.string(),
});
export type RecordLink = z.infer<typeof RecordLink>;

/** What the link after names one by. Pure. */
export function linkHash(action_id: string, link: RecordLink): string {
  const { chain, place, before, before_at, at, content } = link;
  return canonicalDigest({ action_id, chain, place, before, before_at, at, content });
}

/** What of a row is hashed: all that says what was done, as this release knows it. What a newer one writes beside it is none of it. */
const HASHED = [
  ...['action_id', 'action', 'target', 'params', 'input', 'by', 'role', 'person_id', 'address'],
  ...['said_name', 'undo_of', 'at', 'outcome', 'ended_at', 'answer', 'error_code'],
];

/** Members of a row that have members of their own. */
interface Deep {
  credential?: { kind: string; id?: string | undefined } | undefined;
  changed?: Change | undefined;
}

/** The hash of what a row says. Pure. */
export function contentHash(row: Deep): string {
  const { credential, changed } = row;
  const known = Object.fromEntries(Object.entries(row).filter(([name]) => HASHED.includes(name)));
  const deep = {
    credential: credential && { kind: credential.kind, id: credential.id },
    changed: changed && { before: changed.before, after: changed.after },
  };
  // As it will be read again: without what JSON leaves out.
  return canonicalDigest(JSON.parse(JSON.stringify({ ...known, ...deep })));
}
