import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { jsonSchemaOf } from '../../src/platform/json-schema.ts';

/** What an object with this one member is written down as. */
function member(schema: z.ZodType): Record<string, unknown> {
  const { properties } = jsonSchemaOf(z.strictObject({ it: schema }), 'input') as { properties: { it: object } };
  return { ...properties.it };
}

describe('a schema written down', () => {
  it('is JSON Schema 2020-12, and the same text each time', () => {
    const schema = z.strictObject({ b: z.string(), a: z.int().optional() });
    const [first, again] = [jsonSchemaOf(schema, 'input'), jsonSchemaOf(schema, 'input')];
    expect(first['$schema']).toBe('https://json-schema.org/draft/2020-12/schema');
    expect(JSON.stringify(first)).toBe(JSON.stringify(again));
  });

  it('forbids other keys of an input exactly where they are refused, and none of an answer', () => {
    expect(jsonSchemaOf(z.strictObject({}), 'input')).toMatchObject({ additionalProperties: false });
    expect(jsonSchemaOf(z.object({}), 'input')).not.toHaveProperty('additionalProperties');
    expect(jsonSchemaOf(z.looseObject({}), 'input')).toMatchObject({ additionalProperties: {} });
    for (const schema of [z.strictObject({}), z.object({})])
      expect(jsonSchemaOf(schema, 'output')).not.toHaveProperty('additionalProperties');
  });

  it('leaves out members that nothing fits', () => {
    const schema = z.strictObject({ a: z.string().optional(), sold_nowhere: z.unknown().optional().meta({ not: {} }) });
    expect(jsonSchemaOf(schema, 'input')['properties']).toEqual({ a: { type: 'string' } });
  });

  it('names in words what JSON Schema cannot say, with its place', () => {
    const Range = z
      .strictObject({ low: z.int(), high: z.int() })
      .refine(({ low, high }) => low < high, { path: ['high'], error: 'must be above low' });
    expect(member(Range)).toMatchObject({ description: 'high must be above low.' });
    const Country = z.string().refine((code) => code !== 'UK', 'must be a country, such as GB');
    expect(member(Country)).toMatchObject({ description: 'Must be a country, such as GB.' });
    expect(member(Country.describe('Where it runs.').optional())).toMatchObject({
      description: 'Where it runs. Must be a country, such as GB.',
    });
    expect(member(Country.optional().describe('Where it runs.'))).toMatchObject({
      description: 'Where it runs. Must be a country, such as GB.',
    });
  });

  it('is not made while a check of an input is named nowhere', () => {
    const unnamed = z.string().superRefine(() => undefined);
    expect(() => member(unnamed)).toThrow('named nowhere');
    expect(member(unnamed.describe('Something special.'))).toMatchObject({ description: 'Something special.' });
    expect(() => jsonSchemaOf(unnamed, 'output')).not.toThrow();
  });

  it('takes no text of spaces for one that must not be empty', () => {
    expect(member(z.string().trim().min(1))).toMatchObject({ minLength: 1, pattern: '\\S' });
    expect(member(z.string().trim())).not.toHaveProperty('pattern');
  });
});
