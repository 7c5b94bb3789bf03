import { withoutQuery } from './without-query.ts';

/**
 * A buyer's URL as it is shown to others than its buyer (rule W11.path): origin and words of the path. A part of the path that is
 * no word, such as a key in `https://hooks.example/services/T0/B0/KEY`, stands as `*`, and what stands behind `?` or `#` not at
 * all. Shown again it stays as it is.
 */
export function shownUrl(url: string): string {
  const place = withoutQuery(url);
  const [, origin = '', path = ''] = /^([a-z][a-z0-9+.-]*:\/\/[^/\\]*)(.*)$/is.exec(place) ?? [];
  return origin + wordsOfPath(path);
}

/** The words of a path; what is none stands as `*`. */
export function wordsOfPath(path: string): string {
  return path
    .split('/')
    .map((part) => (part === '' || isWord(part) ? part : '*'))
    .join('/');
}

/** The parts of a path that are no words, each of which may be a key. */
export function keysInPath(path: string): string[] {
  return path.split('/').filter((part) => part !== '' && !isWord(part));
}

/** Longer than this, letters are no word of a path. */
const MAX_WORD = 16;
const MAX_WORDS = 4;

/** A version such as `v2.1`, or a few words as people write them: without digits, and of capitals at most the first letter. */
function isWord(part: string): boolean {
  if (/^v\d{1,3}(\.\d{1,3}){0,2}$/i.test(part)) return true;
  const words = part.split(/[-_.]/);
  return words.length <= MAX_WORDS && words.every((word) => word.length <= MAX_WORD && /^[A-Z]?[a-z]+$/.test(word));
}
