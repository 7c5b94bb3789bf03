import { foldedText } from '../brand/brand-name.ts';
import { MOST_TERMS } from './search-entry.ts';

/** Facets that agents and publishers are filtered by. */
export type Facet = 'role' | 'channel' | 'country' | 'domain' | 'verified' | 'property_type' | 'tag';

/** So many values of one facet are kept of one agent or publisher, the first. */
const MOST_VALUES: Readonly<Record<Facet, number>> = {
  ...{ role: 1, channel: 30, country: 60, domain: 40, verified: 1, property_type: 20, tag: 60 },
};
const MOST_WORDS = 60;
/** Of one word, in characters; what is behind it is not looked at. */
const MOST_LENGTH = 32;
/** Of a value, likewise. */
const MOST_VALUE_LENGTH = 120;
/** Of one text, in characters. */
const MOST_TEXT_LENGTH = 1_000;
/** Texts that words are taken from. */
const MOST_TEXTS = 200;

/** The words of a text, in its order: runs of letters and digits, without case, width and accents. */
export function searchWords(text: string): string[] {
  const words = withoutAccents(foldedText(text.slice(0, MOST_TEXT_LENGTH))).match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.map((word) => word.slice(0, MOST_LENGTH));
}

/** Letters that no accent makes, as people write them who have no key for them. */
const PLAIN: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ħ: 'h', ı: 'i' },
};

/** Marks of the scripts of Europe alone: in others a mark is a letter. */
function withoutAccents(text: string): string {
  const bare = text.normalize('NFD').replace(/[\u0300-\u036f]/g, '');
  return bare.normalize('NFC').replace(/[ßæœøłđðþħı]/g, (letter) => PLAIN[letter] ?? letter);
}

export function wordTerm(word: string): string {
  return `word:${word}`;
}

export function facetTerm(facet: Facet, value: string): string {
  const kept = facet === 'tag' ? foldedText(value) : value;
  return `${facet}:${kept.slice(0, MOST_VALUE_LENGTH)}`;
}

/** All that something is found by: bounded, each once. */
export function searchTerms(
  texts: Iterable<string>,
  facets: Readonly<Partial<Record<Facet, Iterable<string>>>>,
): string[] {
  const words = new Set<string>();
  let looked = 0;
  for (const text of texts) {
    if (looked++ >= MOST_TEXTS || words.size >= MOST_WORDS) break;
    for (const word of searchWords(text)) words.add(wordTerm(word));
  }
  const terms = [...words].slice(0, MOST_WORDS);
  for (const [facet, values] of Object.entries(facets) as [Facet, Iterable<string>][]) {
    const kept = new Set<string>();
    for (const value of values) {
      if (kept.size >= MOST_VALUES[facet]) break;
      kept.add(facetTerm(facet, value));
    }
    terms.push(...kept);
  }
  return terms.slice(0, MOST_TERMS);
}
