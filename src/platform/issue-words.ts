import type { z } from 'zod';

/** What zod says of a value beyond a bound, or of no date, in the words of our other refusals; what a schema says itself stays. */
export function issueWords(issue: z.core.$ZodIssue): string {
  const said = issue.message;
  if (issue.code === 'too_big' && said.startsWith('Too big: '))
    return boundWords(issue, issue.maximum, ['less than', 'at most']) ?? lowerFirst(said);
  if (issue.code === 'too_small' && said.startsWith('Too small: '))
    return boundWords(issue, issue.minimum, ['more than', 'at least']) ?? lowerFirst(said);
  if (issue.code === 'invalid_format' && said === 'Invalid ISO datetime')
    return 'send a date-time, such as 2026-06-30T00:00:00Z';
  if (issue.code === 'invalid_format' && said === 'Invalid ISO date') return 'send a date, such as 2026-06-30';
  return lowerFirst(said);
}

function boundWords(
  { origin, inclusive, exact }: z.core.$ZodIssueTooBig | z.core.$ZodIssueTooSmall,
  bound: number | bigint,
  [beyond, upTo]: readonly [string, string],
): string | undefined {
  const how = exact === true ? 'exactly' : inclusive === false ? beyond : upTo;
  const one = bound === 1 || bound === 1n;
  switch (origin) {
    case 'string':
      return `send ${how} ${bound} ${one ? 'character' : 'characters'}`;
    case 'array':
    case 'set':
      return `send ${how} ${bound} ${one ? 'entry' : 'entries'}`;
    case 'number':
    case 'int':
    case 'bigint':
      return `send ${how} ${bound}`;
    default:
      return undefined;
  }
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
