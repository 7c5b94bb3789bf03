import { keysInPath } from '../../platform/outbound/shown-url.ts';
import { tokenIn } from '../delivery/sent-body.ts';

/** What is shorter stands by chance in any text. */
const LEAST = 4;

/** What was sent that nobody is shown, wherever a receiver repeats it. */
export interface Sent {
  url: string;
  /** The text of the body. */
  text: string;
  isBodySecret: boolean;
  /** Those of the headers. */
  secrets: readonly string[];
}

/**
 * Every secret of an attempt: the buyer's token and credentials, what of the URL's path is no word (rule W11.path), its query as a whole
 * and the values in it. Pure.
 */
export function hiddenOf({ url, text, isBodySecret, secrets }: Sent): string[] {
  const { pathname, search, searchParams } = new URL(url);
  const token = isBodySecret ? tokenIn(text) : undefined;
  const ofUrl = [...keysInPath(pathname), search.slice(1), ...searchParams.values()];
  return [...secrets, ...(token === undefined ? [] : [token]), ...ofUrl.filter((part) => part.length >= LEAST)];
}
