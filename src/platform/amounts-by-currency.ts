import { z } from 'zod';
import { isCurrency } from './currency.ts';
import { parseMoneyText } from './money.ts';

/** Such as `USD:50000,EUR:45000`, in decimals of each currency. Every entry that is wrong is named, with what to write. */
export const amountsByCurrency = z.string().transform((list, context) => readAmounts(list, context));

/** What stands for no amount at all, where there need be none. */
export const NO_AMOUNT = 'none';

/** The same, or `none`. */
export const amountsOrNone = z
  .string()
  .transform((list, context) =>
    list.trim() === NO_AMOUNT ? new Map<string, number>() : readAmounts(list, context, `, or ${NO_AMOUNT}`),
  );

function readAmounts(list: string, context: z.RefinementCtx, orElse = ''): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const mistakes = list.split(',').flatMap((entry, i) => {
    const mistake = take(entry.trim(), found);
    return mistake === undefined ? [] : [`entry ${i + 1}, ${JSON.stringify(entry.trim())}, ${mistake}`];
  });
  if (mistakes.length === 0) return found;
  const message = `must be amounts by currency, such as USD:50000,EUR:45000${orElse}: ${mistakes.join('; ')}`;
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
}

/** Adds an entry to those found, or says what is wrong with it. */
function take(entry: string, found: Map<string, number>): string | undefined {
  if (entry === '') return 'is empty; leave out its comma';
  const colon = entry.indexOf(':');
  if (colon === -1)
    return `${isCurrency(entry) ? 'has no amount' : 'names no currency'}; write the currency, a colon and the amount`;
  const currency = entry.slice(0, colon);
  if (!isCurrency(currency)) return 'begins with no ISO 4217 currency; write its three capital letters';
  if (found.has(currency)) return `names ${currency} again; keep one of the two`;
  const parsed = parseMoneyText(entry.slice(colon + 1), currency);
  if (!parsed.ok) return `has an amount that ${parsed.reason}`;
  found.set(currency, parsed.minor);
  return undefined;
}
