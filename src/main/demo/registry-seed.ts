import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { authorizationSubject } from '../../directory/feed/public-state.ts';
import { publishState } from '../../directory/feed/publish.ts';
import { scheduleCheck } from '../../directory/scheduled-check/scheduled-check.ts';
import { plantSeed, seedAgentId } from '../../directory/seed/plant-seed.ts';
import { RegistrySeed } from '../../directory/seed/seed.ts';
import type { SeedPublisher } from '../../directory/seed/seed.ts';
import { parseInput } from '../../platform/validation.ts';
import type { Core } from '../wiring/compose.ts';

/**
 * Gives a fresh registry its first entries: those of `registry-seed.json`, and this house's own publishers, which
 * authorize this agent. Without the file there are only the latter. Safe at every start.
 * @throws {AppError} `VALIDATION_ERROR` naming every bad entry.
 */
export async function seedRegistry(core: Core): Promise<number> {
  const text = await readFile(join(core.config.catalogDir, 'registry-seed.json'), 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '{"organizations":[],"publishers":[]}';
    throw error;
  });
  const seed = parseInput(RegistrySeed, JSON.parse(text.replaceAll('{base_url}', core.baseUrl)), [], Infinity);
  const whole = { ...seed, publishers: [...seed.publishers, ...ownPublishers(core)] };
  const planted = await plantSeed(core, whole);
  await tellSeed(core, whole);
  await scheduleCheck(core, 'badges', core.baseUrl);
  return planted;
}

/** Puts what was planted into the change feed; what has been told is left out, also at the next start. */
async function tellSeed(core: Core, { organizations, publishers }: RegistrySeed): Promise<void> {
  const subjects = [
    ...organizations.flatMap(({ organization_id, agents }) => [
      { kind: 'organization' as const, key: organization_id },
      ...agents.map((_, i) => ({ kind: 'agent' as const, key: seedAgentId(organization_id, i) })),
    ]),
    ...publishers.flatMap(({ publisher_domain, authorized_agents }) =>
      authorized_agents.map(({ url }) => authorizationSubject(publisher_domain, url)),
    ),
  ];
  for (const subject of subjects) await publishState(core, subject);
}

function ownPublishers({ catalog, baseUrl }: Core): SeedPublisher[] {
  const properties = [...catalog.properties.values()];
  return catalog.publisher_domains.map((publisher_domain) => ({
    publisher_domain,
    source: 'hosted' as const,
    verified: true,
    properties: properties
      .filter((property) => property.publisher_domain === publisher_domain)
      .map(({ property_id, property_type, name, identifiers, tags }) => ({
        ...{ property_id, property_type, name },
        identifiers: identifiers.map(({ type, value }) => ({ type, value })),
        tags: [...tags],
      })),
    authorized_agents: [
      { url: baseUrl, authorized_for: `All advertising of ${catalog.publisher.name}`, source: 'hosted' as const },
    ],
  }));
}
