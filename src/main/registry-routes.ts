import { join } from 'node:path';
import type { Router } from 'express';
import { blockedDomainFinder } from '../directory/blocked-domain/blocked-domain.ts';
import { readBlockedDomains } from '../directory/blocked-domain/read-blocked-domains.ts';
import { registryRouter } from '../registry/router.ts';
import type { Core } from './compose.ts';

/** The documents whose acceptance creating an organization records. */
const DOCUMENTS = { terms_version: '2026-01', privacy_version: '2026-01' } as const;

/** The registry on what this process is made of. @throws {AppError} naming the entry for a wrong list of blocked domains. */
export async function registryRoutes(core: Core): Promise<Router> {
  const { config, authenticator, baseUrl, ...shared } = core;
  const blocked = await readBlockedDomains(join(config.catalogDir, 'blocked-domains.json'));
  return registryRouter({
    ...shared,
    baseUrl: () => baseUrl,
    documents: DOCUMENTS,
    findBlocked: blockedDomainFinder(blocked),
    apiKeys: authenticator,
    verifyAccessToken: () => Promise.resolve(undefined),
  });
}
