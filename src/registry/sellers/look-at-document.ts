import { checkId, findCheck, noteCheck } from '../../directory/scheduled-check/scheduled-check.ts';
import type { CheckDeps, CheckKind } from '../../directory/scheduled-check/scheduled-check.ts';
import { ABSENT_MS, isOlderThan, STALE_MS } from '../../directory/scheduled-check/grace.ts';
import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import type { Out } from '../probe/ask.ts';
import { fetchDocument } from './fetch-document.ts';
import type { FoundDocument, DocumentAsked } from './fetch-document.ts';

export interface SellerLookDeps extends CheckDeps {
  outbound: Out;
  /** How long one document may take in all, in milliseconds. */
  probeMs?: number;
  /** Where a publisher's adagents.json is; the documents are at the top of the same host. Default: at its domain over https. */
  adAgentsUrl?: (domain: string) => string;
}

export interface SellerLookOptions {
  /** Breaks off the asking. */
  signal?: AbortSignal;
  /** The other side has answered, or will not: the rest is our own time. */
  onAnswer?: () => void;
}

/** What a kind of document does with what was found. */
interface DocumentTaken {
  /** Answers why it does not count, in our own words; null: it does. */
  take: (found: Extract<FoundDocument, { kind: 'body' }>, startedAt: number) => Promise<string | null>;
  /** It is as it was. */
  takeSame: (startedAt: number) => Promise<void>;
  /** Nothing is to be believed of it any more. */
  forget: () => Promise<void>;
}

/**
 * One look at a document that is looked at by schedule. On a failure what is known stays, up to seven days, and up to one where it is gone.
 * Notes how it went last of all: a process that dies before that has the look done again. Answers why it failed; null: it did not.
 * @throws the reason of `signal`, as long as nothing was changed.
 */
export async function lookAtDocument(
  deps: SellerLookDeps,
  { kind, subject, ...asked }: DocumentAsked & { kind: CheckKind; subject: string; mostMs: number },
  { take, takeSame, forget }: DocumentTaken,
  { signal, onAnswer }: SellerLookOptions,
): Promise<string | null> {
  const { outbound: out, clock, probeMs = asked.mostMs } = deps;
  const startedAt = clock.now();
  const began = performance.now();
  const found = await fetchDocument({ out, deadline: began + probeMs, signal }, asked);
  onAnswer?.();
  const looked = { startedAt, tookMs: performance.now() - began };
  const check = await findCheck(deps, kind, subject);
  const key = checkId(kind, subject);
  if (found.kind === 'missing') {
    const since = check?.absent_since ?? toTimestamp(startedAt);
    if (isOlderThan(ABSENT_MS, since, startedAt) || isStale()) await forget();
    const absent = { since, untilMs: fromTimestamp(since) + ABSENT_MS };
    await noteCheck(deps, key, { ...looked, error: found.reason, absent });
    return found.reason;
  }
  const error = found.kind === 'failed' ? found.reason : await taken(found);
  if (error !== null && isStale()) await forget();
  await noteCheck(deps, key, { ...looked, error });
  return error;

  async function taken(document: Exclude<FoundDocument, { kind: 'missing' | 'failed' }>): Promise<string | null> {
    if (document.kind === 'body') return take(document, startedAt);
    await takeSame(startedAt);
    return null;
  }

  function isStale(): boolean {
    return check !== undefined && isOlderThan(STALE_MS, check.last_ok_at, startedAt);
  }
}
