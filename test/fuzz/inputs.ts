import fc from 'fast-check';

/** Keys and texts that programs have tripped over, beside those of the examples. */
const ODD_KEYS = [
  '__proto__',
  'constructor',
  'toString',
  '',
  '0',
  '$where',
  'a.b',
  '\u0000',
  '\ud800',
  'context',
  'input',
  'skill',
];
const ODD_TEXTS = [
  '',
  ' ',
  '\u0000',
  '\ud800',
  '\u202e',
  '../..',
  '%zz',
  '1e999',
  '-0',
  'NaN',
  '\ufeff',
  '${7*7}',
  "' OR 1=1",
  'x'.repeat(300),
];

const oddKey = fc.oneof(fc.constantFrom(...ODD_KEYS), fc.string({ maxLength: 8 }));
const oddText = fc.oneof(fc.constantFrom(...ODD_TEXTS), fc.string({ unit: 'binary', maxLength: 20 }));
const leaf = fc.oneof(
  oddText,
  fc.constantFrom(null, true, false, 0, -0, -1, 1e308, Infinity, NaN, 2 ** 53, 0.1),
  fc.double(),
  fc.integer(),
);

/** Any JSON, and what its like. */
const oddValue: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    leaf,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(oddKey, tie('value')), { maxLength: 4 }).map((members) => Object.fromEntries(members)),
  ),
})).value;

/** One change of a value, at a place that is found by going down by the numbers. */
interface Change {
  way: number[];
  kind: 'put' | 'drop' | 'add' | 'repeat';
  key: string;
  value: unknown;
}

const change: fc.Arbitrary<Change> = fc.record({
  way: fc.array(fc.nat(30), { maxLength: 7 }),
  kind: fc.constantFrom('put' as const, 'drop' as const, 'add' as const, 'repeat' as const),
  key: oddKey,
  value: oddValue,
});

/** The examples, changed at some places; or anything. */
export function valueNear(examples: readonly unknown[]): fc.Arbitrary<unknown> {
  if (examples.length === 0) return oddValue;
  const near = fc
    .tuple(fc.constantFrom(...examples), fc.array(change, { maxLength: 4 }))
    .map(([example, changes]) => changes.reduce(changed, example));
  return fc.oneof({ weight: 5, arbitrary: near }, { weight: 1, arbitrary: oddValue });
}

/** Such values as JSON, and texts near it. */
export function jsonNear(examples: readonly unknown[]): fc.Arbitrary<string> {
  const json = valueNear(examples).map((value) => JSON.stringify(value));
  return fc.oneof(json, json.chain(spliced));
}

export function bytesNear(examples: readonly unknown[]): fc.Arbitrary<Uint8Array> {
  return fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    jsonNear(examples).map((text) => new Uint8Array(Buffer.from(text))),
  );
}

/** The examples, changed at some places; or anything. */
export function textNear(examples: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof(fc.constantFrom(...examples).chain(spliced), oddText, fc.string({ maxLength: 300 }));
}

/** Of a header: what Node lets through. */
export const headerText: fc.Arbitrary<string> = fc.oneof(
  textNear(['1.0', '0.3.0', 'a=b; c="d"', '__Host-session=x; session=y']).map((text) =>
    text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, ''),
  ),
  fc.stringMatching(/^[\x20-\x7e]{0,80}$/),
);

/** Something put, cut out or written twice somewhere in a text. */
function spliced(text: string): fc.Arbitrary<string> {
  return fc
    .tuple(
      fc.nat(text.length),
      fc.nat(12),
      fc.oneof(oddText, fc.constantFrom('"', '\\', '{', '}', '[', ']', ',', ':', '&', '=', '\\u0000')),
    )
    .map(([at, length, put]) => text.slice(0, at) + put + text.slice(at + length));
}

function changed(value: unknown, { way: [step, ...way], ...rest }: Change): unknown {
  if (step === undefined || typeof value !== 'object' || value === null) return atPlace(value, rest);
  if (Array.isArray(value)) {
    if (value.length === 0) return [rest.value];
    const at = step % value.length;
    return value.flatMap((item: unknown, i) => (i === at ? put(item, { way, ...rest }) : [item]));
  }
  const entries = Object.entries(value);
  if (entries.length === 0) return Object.fromEntries([[rest.key, rest.value]]);
  const at = step % entries.length;
  return Object.fromEntries(
    entries.flatMap(([key, member], i) =>
      i === at ? put(member, { way, ...rest }).map((one) => [key, one]) : [[key, member]],
    ),
  );
}

/** What stands where the item stood. */
function put(item: unknown, { way, ...rest }: Change): unknown[] {
  if (way.length > 0) return [changed(item, { way, ...rest })];
  switch (rest.kind) {
    case 'drop':
      return [];
    case 'repeat':
      return [item, item];
    default:
      return [atPlace(item, rest)];
  }
}

function atPlace(value: unknown, { kind, key, value: other }: Omit<Change, 'way'>): unknown {
  if (kind !== 'add' || typeof value !== 'object' || value === null) return other;
  return Array.isArray(value) ? [...(value as unknown[]), other] : { ...value, ...Object.fromEntries([[key, other]]) };
}
