import type { LeftOut } from '../crawl/adagents-file.ts';

/** Something that a publisher should put right, and how. */
export interface FileFinding extends LeftOut {
  /** JSON pointer (RFC 6901) into the file; empty for all of it. */
  pointer: string;
}

/** Errors cost an entry or the file; warnings are surely not meant so. */
export interface Findings {
  errors: FileFinding[];
  warnings: FileFinding[];
}

/** Told of each kind. */
const MOST_FINDINGS = 100;

/** Adds a finding, of each kind only the first hundred. */
export function tell(list: FileFinding[], pointer: string, message: string, fix: string): void {
  if (list.length < MOST_FINDINGS) list.push({ pointer, message, fix });
}
