import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textOf } from './support/visitor.ts';

/** Nothing that would be taken for a tag, an attribute's end or an entity. */
const HARMLESS = /^[^<>"']*$/;

describe('[O1.text] what a stranger wrote, in a page', () => {
  it('is text between tags and in attributes, whatever it is, and reads as it was written', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const between = (<p>{text}</p>).toString();
        const within = (<a href={text} />).toString();
        const [, inside = ''] = /^<p>(.*)<\/p>$/s.exec(between) ?? [];
        const [, value = ''] = /^<a href="(.*)"><\/a>$/s.exec(within) ?? [];
        for (const html of [inside, value]) {
          expect(html).toMatch(HARMLESS);
          expect(html.replaceAll(/&#\d+;/g, '')).not.toContain('&');
          expect(textOf(html)).toBe(
            text.replaceAll(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\p{Cs}/gu, '\uFFFD'),
          );
        }
      }),
    );
  });

  it('shows children of any depth in their order, and nothing for what is nothing', () => {
    const list = [1, [<b>two</b>, null, ['<three>']], undefined, false, true];
    expect((<p class={false}>{list}</p>).toString()).toBe('<p>1<b>two</b>&#60;three&#62;</p>');
    expect((<input required disabled={false} value={0} />).toString()).toBe('<input required value="0">');
  });

  it('takes no markup for an attribute, and no name that would be more than one', () => {
    expect(() => <a href={<b>x</b>} />).toThrow('an attribute is a text or a number');
    expect(() => <a {...{ 'x onclick': '1' }} />).toThrow('is no attribute');
  });
});
