import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { parseSignatureInput, parseTokens } from '#receiver/wire/structured-header';

afterEach(() => {
  vi.restoreAllMocks();
});

describe('parseSignatureInput', () => {
  it('reads components, parameters and the text to sign over', () => {
    const header = 'sig1=("@method" "content-type");created=1;nonce="a\\"\\\\b";flag;neg=-7';
    expect(parseSignatureInput(header)?.get('sig1')).toEqual({
      components: ['@method', 'content-type'],
      params: new Map([
        ['created', { type: 'integer', value: 1 }],
        ['nonce', { type: 'string', value: 'a"\\b' }],
        ['flag', { type: 'other' }],
        ['neg', { type: 'integer', value: -7 }],
      ]),
      text: header.slice(5),
    });
  });

  it('[W13] keeps the text of a member verbatim, spaces and all, and nothing beside it', () => {
    const member = '(  "@method"  "@path" );  created=1; keyid="k"';
    expect(parseSignatureInput(` sig1=${member} \t,\t sig2=() `)?.get('sig1')?.text).toBe(member);
  });

  it('reads all members by label', () => {
    expect([...(parseSignatureInput('a=(), sig1=("x"),*b.c_d-1=()')?.keys() ?? [])]).toEqual(['a', 'sig1', '*b.c_d-1']);
  });

  it('writes a component’s own parameters behind its name', () => {
    expect(parseSignatureInput('sig1=("@path";req "x";key="y")')?.get('sig1')?.components).toEqual([
      '@path;req',
      'x;key="y"',
    ]);
  });

  it.each(['1.5', '-12.125', 'token/a:b', '*x', '?1', '?0', ':AAAA:', '::'])(
    'takes a parameter of another type, %s',
    (value) => {
      expect(parseSignatureInput(`sig1=();p=${value}`)?.get('sig1')?.params.get('p')).toEqual({ type: 'other' });
    },
  );

  it.each([
    ['nothing', ''],
    ['a label alone', 'sig1'],
    ['a label with nothing', 'sig1='],
    ['no inner list', 'sig1="a"'],
    ['an open list', 'sig1=("a"'],
    ['an open string', 'sig1=("a)'],
    ['an unquoted component', 'sig1=(a)'],
    ['components without a space', 'sig1=("a""b")'],
    ['components divided by a tab', 'sig1=("a"\t"b")'],
    ['a comma in the list', 'sig1=("a","b")'],
    ['one component twice', 'sig1=("a" "b" "a")'],
    ['one component with a parameter twice', 'sig1=("a";req "a";req)'],
    ['one label twice', 'sig1=(), sig1=()'],
    ['one parameter twice', 'sig1=();tag="a";tag="a"'],
    ['a comma at the end', 'sig1=(),'],
    ['a comma at the start', ',sig1=()'],
    ['two commas', 'sig1=(),,sig2=()'],
    ['members without a comma', 'sig1=() sig2=()'],
    ['an upper-case label', 'Sig1=()'],
    ['a label that begins with a digit', '1sig=()'],
    ['spaces around the equals sign', 'sig1 = ()'],
    ['a parameter without a value', 'sig1=();p='],
    ['a space before a semicolon', 'sig1=() ;p=1'],
    ['a semicolon alone', 'sig1=();'],
    ['an unknown escape', 'sig1=();p="\\a"'],
    ['a control character in a string', 'sig1=();p="\u0001"'],
    ['a letter beyond ASCII in a string', 'sig1=();p="é"'],
    ['16 digits', 'sig1=();p=1234567890123456'],
    ['a minus sign alone', 'sig1=();p=-'],
    ['a decimal without a fraction', 'sig1=();p=1.'],
    ['a decimal with four places', 'sig1=();p=1.2345'],
    ['a decimal with 13 digits', 'sig1=();p=1234567890123.1'],
    ['a boolean of two', 'sig1=();p=?2'],
    ['an open byte sequence', 'sig1=();p=:AAAA'],
    ['a list as a parameter', 'sig1=();p=("a")'],
    ['text behind a number', 'sig1=();p=1a'],
    ['a line end', 'sig1=()\n'],
  ])('refuses %s', (_what, header) => {
    expect(parseSignatureInput(header)).toBeUndefined();
  });

  it('[W12] refuses one bad member beside a good sig1: the header as a whole is malformed', () => {
    expect(parseSignatureInput('sig1=("@method"), other=?')).toBeUndefined();
  });
});

describe('parseTokens', () => {
  it('[W13] reads tokens of either alphabet, undecoded', () => {
    expect(parseTokens('sig1=:-_Aa0:, b=:+/==:, c=::')).toEqual(
      new Map([
        ['sig1', '-_Aa0'],
        ['b', '+/=='],
        ['c', ''],
      ]),
    );
  });

  it.each([
    '',
    'sig1',
    'sig1=AAAA',
    'sig1=:AAAA',
    'sig1=AAAA:',
    'sig1=:AA AA:',
    'sig1=:A*:',
    'sig1=:A:;p=1',
    'sig1=("a")',
  ])('refuses %j', (header) => {
    expect(parseTokens(header)).toBeUndefined();
  });

  it('refuses one label twice', () => {
    expect(parseTokens('sha-256=:AA:, sha-256=:AA:')).toBeUndefined();
  });
});

describe('both parsers', () => {
  const grammar = fc
    .array(
      fc.constantFrom(
        ...[
          'sig1',
          '=',
          '(',
          ')',
          '"@method"',
          '"',
          ';',
          'created',
          '1',
          ',',
          ' ',
          '\t',
          ':',
          'AA',
          '-',
          '.',
          '?1',
          '\\',
        ],
      ),
      { maxLength: 60 },
    )
    .map((parts) => parts.join(''));
  const anything = fc.oneof(grammar, fc.string({ unit: 'binary', maxLength: 60 }), fc.string({ maxLength: 60 }));

  it('never throw, and what they take they give back within its own bounds', () => {
    fc.assert(
      fc.property(anything, (header) => {
        for (const { text } of parseSignatureInput(header)?.values() ?? []) expect(header).toContain(text);
        for (const token of parseTokens(header)?.values() ?? []) expect(header).toContain(`:${token}:`);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['labels', (n: number) => Array.from({ length: n }, (_, i) => `l${i}=()`).join(', ')],
    ['components', (n: number) => `sig1=(${Array.from({ length: n }, (_, i) => `"c${i}"`).join(' ')})`],
    ['parameters', (n: number) => `sig1=()${Array.from({ length: n }, (_, i) => `;p${i}=1`).join('')}`],
    ['escapes', (n: number) => `sig1=();p="${'\\\\'.repeat(n)}"`],
    ['spaces', (n: number) => `sig1=(${' '.repeat(n)})`],
    ['digits', (n: number) => `sig1=();p=${'1'.repeat(n)}`],
    ['an open string', (n: number) => `sig1=("${'a'.repeat(n)}`],
    ['an open token', (n: number) => `sig1=:${'A'.repeat(n)}`],
    ['semicolons', (n: number) => `sig1=()${';'.repeat(n)}`],
    ['component parameters', (n: number) => `sig1=("a"${Array.from({ length: n }, (_, i) => `;p${i}`).join('')})`],
  ])('look at each character a bounded number of times: %s', (_what, ofSize) => {
    const looks = vi.spyOn(String.prototype, 'charCodeAt');
    for (const header of [ofSize(50), ofSize(2000)]) {
      looks.mockClear();
      parseSignatureInput(header);
      parseTokens(header);
      expect(looks.mock.calls.length).toBeLessThan(20 * header.length);
    }
  });
});
