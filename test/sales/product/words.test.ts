import { describe, expect, it } from 'vitest';
import { wordsOf } from '../../../src/sales/product/words.ts';

const terms = (text: string) => wordsOf(text).map(({ term }) => term);

describe('the words of a text', () => {
  it.each([
    ['Connected TV', 'streaming television'],
    ['UK', 'Great Britain'],
    ['in the US', 'American'],
    ['30-second', '30s'],
    ['cars', 'Automotive'],
    ['newsletters', 'E-mail'],
    ['München', 'munchen'],
    ['families', 'family'],
  ])('%s and %s are the same', (one, other) => {
    expect(terms(one)).toEqual(terms(other));
  });

  it.each([
    ['tell us more', []],
    ['campaña de verano', terms('campana verano')],
    ['We want to reach people with our brand campaign', []],
    ['budget of $50,000 in 2026', []],
    ['new', []],
    ['', []],
  ])('%j says %j', (text, expected) => {
    expect(terms(text)).toEqual(expected);
  });

  it('news is not new, and IT in capitals is the trade', () => {
    expect(terms('news')).toEqual(['news']);
    expect(terms('IT buyers, if it fits')).toEqual(terms('technology buyers fits'));
  });

  it('keeps each word as it was written', () => {
    expect(wordsOf('for Sports fans on Connected TV').map(({ written }) => written)).toEqual([
      'Sports',
      'fans',
      'Connected TV',
    ]);
  });
});
