import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { COLLECTIONS } from '../../../src/main/wiring/collections.ts';
import { isSettled } from '../../../src/platform/store/settled-schema.ts';

type Json = string | number | null | { [name: string]: Json };
const Json: z.ZodType<Json> = z.lazy(() => z.union([z.string(), z.number(), z.null(), z.record(z.string(), Json)]));

describe('a schema is asked once about what it has answered', () => {
  it('where it only judges and fills in what is missing, at any depth', () => {
    const settled = z.strictObject({
      list: z.array(z.object({ n: z.int().default(3) })).readonly(),
      either: z.union([z.literal('a'), z.tuple([z.enum(['x'])], z.boolean())]).nullable(),
      both: z.intersection(z.object({ p: z.uuid() }), z.looseObject({ q: z.unknown().optional() })),
      json: Json,
    });
    expect(isSettled(settled)).toBe(true);
  });

  it.each([
    ['transforms', z.string().transform((text) => text.length)],
    ['reads one form and gives another', z.string().pipe(z.coerce.number())],
    ['falls back', z.string().catch('x')],
    ['holds what JSON does not', z.date()],
  ])('never where something in it %s', (_, inner) => {
    expect(isSettled(inner)).toBe(false);
    expect(
      isSettled(
        z.object({
          deep: z.array(
            z.record(
              z.string(),
              z.lazy(() => inner.optional()),
            ),
          ),
        }),
      ),
    ).toBe(false);
  });

  it('so is every row that a media buy takes on its way', () => {
    const settled = COLLECTIONS.filter(({ schema }) => isSettled(schema)).map(({ name }) => name);
    expect(settled).toEqual(expect.arrayContaining(['task_runs', 'media_buys', 'ad_orders', 'deliveries']));
  });
});
