import { expect, it } from 'vitest';
import { exampleCreative } from '../../../src/sales/creative/example-creative.ts';
import { readCreative } from '../../../src/sales/creative/read-creative.ts';
import { demoCatalog } from '../support/demo-catalog.ts';

const catalog = await demoCatalog();

it.each([...catalog.formats.values()].map((format) => [format.format_id.id, format] as const))(
  'the example of %s fits it',
  (_, format) => {
    const read = readCreative(exampleCreative(format, 'c1', 'An example'), ['creatives', 0], catalog);
    expect(read.ok ? [] : read.errors).toEqual([]);
  },
);
