import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';

export interface PagingOptions {
  limit: string;
  cursor?: string;
}

/** Of the option by which a list is one buyer's. */
export const BUYER_ASKED = 'by its id, its name, or how that begins; default: of all';

/** Adds what every list takes. */
export function paged(command: Command): Command {
  return command
    .option('--limit <n>', 'how many to show, 1 to 100', wholeNumber, '50')
    .option('--cursor <cursor>', 'where the page before ended');
}

function wholeNumber(text: string): string {
  if (/^([1-9]\d?|100)$/.test(text)) return text;
  throw new InvalidArgumentError('It must be a whole number from 1 to 100.');
}

/** The line under a page that says how to see more. */
export function more({ cursor }: { cursor?: string | undefined }): string {
  return cursor !== undefined ? `\nThere is more: --cursor '${cursor}'\n` : '';
}
