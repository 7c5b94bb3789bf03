import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AppError } from '../../src/platform/errors.ts';
import { fieldPath, jsonPointer, pathOfField } from '../../src/platform/field-path.ts';
import { INPUT_LIMITS } from '../../src/platform/intake/input-limits.ts';
import { nearest } from '../../src/platform/nearest-name.ts';
import { parseInput } from '../../src/platform/validation.ts';

const Package = z.strictObject({
  product_id: z.string(),
  budget: z.number().positive('must be more than 0'),
  pacing: z.enum(['even', 'asap']).optional(),
});
const Request = z.strictObject({
  buyer_ref: z.string(),
  packages: z.array(Package).min(1, 'send at least one package'),
  start: z
    .union([
      z.literal('asap'),
      z.strictObject({ type: z.literal('asap') }),
      z.strictObject({ type: z.literal('scheduled'), datetime: z.string() }),
    ])
    .optional(),
  by_name: z.record(z.string(), z.strictObject({ amount: z.number() })).optional(),
});

function refusal(input: unknown): AppError {
  try {
    parseInput(Request, input);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('it was taken');
}

const good = { buyer_ref: 'a', packages: [{ product_id: 'p', budget: 1 }] };

describe('what a caller sent', () => {
  it('is answered as parsed when it is right', () => {
    expect(parseInput(Request, good)).toEqual(good);
  });

  it('[B12] is refused with every problem at once, the first as field', () => {
    const { code, message, details } = refusal({ packages: [{ product_id: 7, budget: 0 }, { product_id: 'p' }] });
    expect(code).toBe('VALIDATION_ERROR');
    expect(details.issues).toEqual([
      { pointer: '/buyer_ref', message: 'required; send a string' },
      { pointer: '/packages/0/product_id', message: 'send a string, not a number' },
      { pointer: '/packages/0/budget', message: 'must be more than 0' },
      { pointer: '/packages/1/budget', message: 'required; send a number' },
    ]);
    expect(details.field).toBe('buyer_ref');
    expect(message).toBe(
      'buyer_ref: required; send a string; packages[0].product_id: send a string, not a number; packages[0].budget: must be more than 0; packages[1].budget: required; send a number',
    );
  });

  it.each([
    [{ ...good, buyer_reff: 'x' }, 'buyer_reff', 'buyer_ref'],
    [{ ...good, packages: [{ product_id: 'p', budget: 1, bugdet: 2 }] }, 'packages[0].bugdet', 'budget'],
    [{ ...good, start: { type: 'scheduled', datetime: 'x', dateTime: 'y' } }, 'start.dateTime', 'datetime'],
    [{ ...good, by_name: { one: { amount: 1, amuont: 2 } } }, 'by_name.one.amuont', 'amount'],
  ])('is told of an unknown key, and which known one is close: %j', (input, field, suggestion) => {
    expect(refusal(input).details).toMatchObject({ field, suggestion });
    expect(refusal(input).message).toContain(`did you mean ${suggestion}?`);
  });

  it('is told to leave out a key that resembles none, and which there are', () => {
    const { message, details } = refusal({ ...good, xyzzy: 1 });
    expect(message).toBe('xyzzy: unknown key; leave it out; there are buyer_ref, packages, start, by_name');
    expect(details).not.toHaveProperty('suggestion');
  });

  it.each([
    [undefined, 'required; send an object'],
    [null, 'send an object, not null'],
    [[], 'send an object, not an array'],
    ['x', 'send an object, not a string'],
  ])('is told what it should be as a whole: %j', (input, message) => {
    expect(refusal(input)).toMatchObject({ message });
    expect(refusal(input).details).not.toHaveProperty('field');
  });

  it('is told of a number that JSON could not hold, and of the values there are', () => {
    expect(refusal({ ...good, packages: [{ product_id: 'p', budget: 1e309 }] }).message).toContain('finite number');
    expect(refusal({ ...good, packages: [{ product_id: 'p', budget: 1, pacing: 'slow' }] }).message).toBe(
      'packages[0].pacing: send "even" or "asap"',
    );
  });

  it.each([
    [z.string().max(3), 'long', 'send at most 3 characters'],
    [z.string().min(1), '', 'send at least 1 character'],
    [z.string().length(2), 'long', 'send exactly 2 characters'],
    [z.array(z.string()).max(1), ['a', 'b'], 'send at most 1 entry'],
    [z.number().gt(0), 0, 'send more than 0'],
    [z.number().max(9), 10, 'send at most 9'],
    [z.int(), 1.5, 'send a whole number'],
    [z.record(z.string(), z.string()), 1, 'send an object, not a number'],
    [z.iso.datetime({ offset: true }), 'now', 'send a date-time, such as 2026-06-30T00:00:00Z'],
    [z.iso.date(), 'now', 'send a date, such as 2026-06-30'],
    [z.string().max(3, 'be brief'), 'long', 'be brief'],
  ] as [z.ZodType, unknown, string][])('is told a bound and a form in the same words: %#', (schema, value, message) => {
    expect(() => parseInput(z.object({ it: schema }), { it: value })).toThrow(`it: ${message}`);
  });

  it('of several forms is told of the one that came closest', () => {
    expect(refusal({ ...good, start: { type: 'scheduled' } }).details.field).toBe('start.datetime');
    expect(refusal({ ...good, start: 5 }).message).toMatch(/^start: send "asap"; or send an object, not a number$/);
  });

  it.each([
    [{ type: 'scheduled' }, 'start.datetime', /required; send a string/],
    [{ type: 'asap', datetime: 'x' }, 'start.datetime', /unknown key; leave it out/],
    [{ type: 'later' }, 'start.type', /send "asap" or "scheduled"$/],
    [{ type: 'schedulde' }, 'start.type', /send "asap" or "scheduled"; did you mean "scheduled"\?/],
    [{ type: 'scheduled', datetime: 5, zone: 'UTC' }, 'start.datetime', /send a string, not a number/],
  ])('of several kinds of object, told apart by a tag, is told of the kind it named: %j', (start, field, message) => {
    expect(refusal({ ...good, start }).details.field).toBe(field);
    expect(refusal({ ...good, start }).message).toMatch(message);
  });

  it('is told every problem of the form that came closest', () => {
    const { issues } = refusal({ ...good, start: { type: 'scheduled', datetime: 5, zone: 'UTC' } }).details;
    expect(issues?.map(({ pointer }) => pointer)).toEqual(['/start/datetime', '/start/zone']);
  });

  it('[B12.details] is told in the order it was sent in: what is missing first, then what is there', () => {
    const { issues } = refusal({ colour: 1, packages: [{ bugdet: 1, budget: 0 }], buyer_ref: 7, by_name: 1 }).details;
    expect(issues?.map(({ pointer }) => pointer)).toEqual([
      ...['/colour', '/packages/0/product_id', '/packages/0/bugdet', '/packages/0/budget', '/buyer_ref', '/by_name'],
    ]);
  });

  it('[B12.details] is not searched for what was meant in more places than are told', () => {
    const unknown = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`key_number_${i}`, 1]));
    expect(refusal({ ...good, ...unknown }).details.issues).toHaveLength(50);
  });

  it('[S1] is searched for what was meant a few times, and not for each of what is told', () => {
    const misspelt = Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`buyer_ref${i}`, 1]));
    const { issues = [] } = refusal({ ...good, ...misspelt }).details;
    expect(issues).toHaveLength(INPUT_LIMITS.issues);
    expect(issues.filter(({ message }) => message.includes('did you mean'))).toHaveLength(INPUT_LIMITS.suggestions);
  });

  it('[S1] that is very large is told the first problem, where it is', () => {
    const packages = Array.from({ length: 4_000 }, (_, i) => ({ product_id: i < 10 ? 'p' : 7, budget: 1 }));
    const { message, details } = refusal({ ...good, packages });
    expect(message).toBe('packages[10].product_id: send a string, not a number');
    expect(details.issues).toHaveLength(1);
    const right = { ...good, packages: Array.from({ length: 4_000 }, () => ({ product_id: 'p', budget: 1 })) };
    expect(parseInput(Request, right)).toEqual(right);
  });

  it('is told of the value that is close to a misspelt one', () => {
    const { details } = refusal({ ...good, packages: [{ product_id: 'p', budget: 1, pacing: 'evne' }] });
    expect(details).toMatchObject({ field: 'packages[0].pacing', suggestion: 'even' });
  });

  it('names no more than 50 problems', () => {
    const packages = Array.from({ length: 80 }, () => ({ product_id: 1, budget: 1 }));
    const { details, message } = refusal({ ...good, packages });
    expect(details.issues).toHaveLength(50);
    expect(message).toMatch(/^packages\[0\].product_id: .*; and more, see issues$/);
    expect(message.length).toBeLessThan(1100);
  });

  it('carries the code that a check of our own gave it', () => {
    const schema = z.number().superRefine((_, context) => {
      context.addIssue({ code: 'custom', message: 'too little', params: { code: 'BUDGET_TOO_LOW' } });
    });
    expect(() => parseInput(schema, 1, ['budget'])).toThrow(
      expect.objectContaining({ code: 'BUDGET_TOO_LOW', message: 'budget: too little' }) as Error,
    );
  });

  it('never makes the check itself fail, whatever it is', () => {
    fc.assert(
      fc.property(fc.anything(), (input) => {
        try {
          parseInput(Request, input);
        } catch (error) {
          expect(error).toBeInstanceOf(AppError);
          const { issues = [], field } = (error as AppError).details;
          expect(issues.length).toBeGreaterThan(0);
          if (field !== undefined) expect((error as AppError).message.startsWith(`${field}: `)).toBe(true);
        }
      }),
    );
  });
});

describe('the place of a problem', () => {
  it('is written as a path and as a pointer (RFC 6901)', () => {
    expect(fieldPath(['packages', 1, 'product_id'])).toBe('packages[1].product_id');
    expect(fieldPath([])).toBe('');
    expect(fieldPath([0])).toBe('[0]');
    for (const [path, text] of [
      [[''], '""'],
      [['a', ''], 'a.""'],
    ] as const) {
      expect(fieldPath(path)).toBe(text);
      expect(pathOfField(text)).toEqual(path);
    }
    expect(jsonPointer(['a/b', 'c~d', 0])).toBe('/a~1b/c~0d/0');
  });
});

describe('the nearest known name', () => {
  it('is one within a third of the letters, swapped neighbours counting once', () => {
    expect(nearest('bugdet', ['budget', 'buyer_ref'])).toBe('budget');
    expect(nearest('Budget', ['budget'])).toBe('budget');
    expect(nearest('cat', ['budget'])).toBeUndefined();
    expect(nearest('x'.repeat(100_000), ['budget'])).toBeUndefined();
    expect(nearest('x', [])).toBeUndefined();
  });
});
