import fc from 'fast-check';

/** White space as JSON has it between tokens. */
export const spaced = fc.string({ unit: fc.constantFrom(' ', '\n', '\t', '\r'), maxLength: 2 });

const number = fc.oneof(
  fc.constantFrom('0', '-0', '1.10', '12345678901234567890', '-1E+2', '1e-7', '0.1000000000000000000001'),
  fc.integer().map(String),
);
const text = fc.oneof(
  fc.string({ unit: 'binary' }).map((value) => JSON.stringify(value.replaceAll(/[\u0000\p{Surrogate}]/gu, ''))),
  fc.constantFrom('"\\u00e9"', '"\\/"', '"\\""', '"\\\\"', '"{\\"a\\": 1}"', '" "', '"\\n"'),
);
const key = fc.oneof(text, fc.constantFrom('"__proto__"', '"context"', '"10"', '"2"', '"constructor"', '""'));

/** The tokens of any JSON value, as somebody may have written them; no key stands twice in its object. */
export const jsonTokens = fc.letrec<{ value: string[]; object: string[]; array: string[]; scalar: string[] }>(
  (tie) => ({
    scalar: fc.oneof(number, text, fc.constantFrom('true', 'false', 'null')).map((token) => [token]),
    array: fc.array(tie('value'), { maxLength: 4 }).map((items) => ['[', ...listed(items), ']']),
    object: fc
      .uniqueArray(fc.tuple(key, tie('value')), { maxLength: 4, selector: ([name]) => JSON.parse(name) as string })
      .map((members) => ['{', ...listed(members.map(([name, value]) => [name, ':', ...value])), '}']),
    value: fc.oneof({ maxDepth: 4 }, tie('scalar'), tie('array'), tie('object')),
  }),
).value;

/** The same of an object. */
export const objectTokens = fc
  .uniqueArray(fc.tuple(key, jsonTokens), { maxLength: 5, selector: ([name]) => JSON.parse(name) as string })
  .map((members) => ['{', ...listed(members.map(([name, value]) => [name, ':', ...value])), '}']);

function listed(items: readonly string[][]): string[] {
  return items.flatMap((item, index) => (index === 0 ? item : [',', ...item]));
}
