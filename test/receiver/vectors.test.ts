import { expect, it } from 'vitest';
import { readVectors, receiverVectors } from '../../scripts/write-receiver-vectors.ts';

it('the vectors of the receiver’s package are what the sender sends: npx tsx scripts/write-receiver-vectors.ts', async () => {
  for (const [name, text] of Object.entries(await receiverVectors())) expect(await readVectors(name)).toBe(text);
});
