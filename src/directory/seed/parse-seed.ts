import { z } from 'zod';
import { mapInSlices } from '../../platform/in-slices.ts';
import { parseInput } from '../../platform/validation.ts';
import { RegistrySeed, SeedOrganization, SeedPublisher } from './seed.ts';

const Lists = z.strictObject({ organizations: z.array(z.unknown()), publishers: z.array(z.unknown()) });

/**
 * Reads a seed as JSON gave it, an entry at a time: a large one keeps nobody waiting.
 * @throws {AppError} `VALIDATION_ERROR` naming every bad entry.
 */
export async function parseSeed(json: unknown): Promise<RegistrySeed> {
  const lists = Lists.safeParse(json).data;
  const read = lists && (await entriesOf(lists));
  return read ?? parseInput(RegistrySeed, json, [], Infinity);
}

/** The same of entries that name the agent by `{base_url}`, for one with this address. @throws likewise. */
export function parseSeedFor(base_url: string, json: unknown): Promise<RegistrySeed> {
  return parseSeed(JSON.parse(JSON.stringify(json).replaceAll('{base_url}', base_url)));
}

async function entriesOf({ organizations, publishers }: z.infer<typeof Lists>): Promise<RegistrySeed | undefined> {
  const whole: RegistrySeed = { organizations: [], publishers: [] };
  const fits = await mapInSlices([...organizations, ...publishers], (entry, i) => {
    const isOrganization = i < organizations.length;
    const parsed = isOrganization ? SeedOrganization.safeParse(entry) : SeedPublisher.safeParse(entry);
    if (!parsed.success) return false;
    if (isOrganization) whole.organizations.push(parsed.data as SeedOrganization);
    else whole.publishers.push(parsed.data as SeedPublisher);
    return true;
  });
  return fits.every(Boolean) ? whole : undefined;
}
