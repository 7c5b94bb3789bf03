import { getJson } from '../probe/ask.ts';
import type { Asking } from '../probe/ask.ts';
import { readAdAgents } from './adagents-file.ts';
import type { AdAgents } from './adagents-file.ts';

/** A publisher's file as it was found, or why not. */
export type CrawlResult = { kind: 'read'; file: AdAgents; source_url: string } | { kind: 'failed'; reason: string };

/**
 * Reads a file, and the one place it may point to instead (rule R15). Redirects stay on the site; the hop may leave it.
 */
export async function fetchAdAgents(asking: Asking, url: string, nowMs: number): Promise<CrawlResult> {
  const first = await readFrom(asking, url, nowMs);
  if (first.kind === 'failed' || first.file.authoritative_location === undefined) return first;
  const there = await readFrom(asking, first.file.authoritative_location, nowMs);
  if (there.kind === 'failed') return { kind: 'failed', reason: `authoritative_location: ${there.reason}` };
  if (there.file.authoritative_location === undefined) return there;
  return { kind: 'failed', reason: 'authoritative_location points to a file that points elsewhere again' };
}

async function readFrom(asking: Asking, url: string, nowMs: number): Promise<CrawlResult> {
  const answer = await getJson(asking, url);
  if (answer.kind !== 'json') return { kind: 'failed', reason: answer.reason };
  const file = readAdAgents(answer.json, nowMs);
  return file === undefined
    ? { kind: 'failed', reason: 'the file has no list authorized_agents' }
    : { kind: 'read', file, source_url: url };
}
