import { createHash } from 'node:crypto';
import { z } from 'zod';
import { parseSeedFor } from '../../../directory/seed/parse-seed.ts';
import { plantSeed } from '../../../directory/seed/plant-seed.ts';
import { operation } from '../operation.ts';

/** Entries of a seed file, as many as a body has room for; the seed's own schema says what each is. */
const SeedEntries = z.strictObject({
  organizations: z.array(z.unknown()).default([]),
  publishers: z.array(z.unknown()).default([]),
});

/** Adds to the registry what a seed file says and is not there yet, as a first start does. */
export const importEntries = operation({
  method: 'post',
  path: '/registry/import',
  summary: 'Add organizations and publishers of a seed file to the registry. What is there already stays as it is.',
  role: 'admin',
  action: 'registry.import',
  done: ({ rows_added }) => `Rows that were added: ${rows_added}.`,
  body: SeedEntries,
  onRecord: ({ organizations, publishers }) => ({
    organizations: organizations.length,
    publishers: publishers.length,
    sha256: createHash('sha256')
      .update(JSON.stringify([organizations, publishers]))
      .digest('hex'),
  }),
  answer: z.object({ entries: z.int(), rows_added: z.int() }),
  async handle({ body }, call) {
    const seed = await parseSeedFor(call.baseUrl, body);
    const entries = seed.organizations.length + seed.publishers.length;
    return { entries, rows_added: await plantSeed(call, seed) };
  },
});
