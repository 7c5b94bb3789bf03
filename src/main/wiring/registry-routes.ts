import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Router } from 'express';
import { CardIdentity } from '../../a2a/card/identity.ts';
import { blockedDomainFinder, readBlockedDomains } from '../../directory/blocked-domain/blocked-domain.ts';
import { registryRouter } from '../../registry/router.ts';
import { adAgentsDocument } from './adagents-document.ts';
import { composeBilling } from './billing.ts';
import type { Core } from './compose.ts';
import type { OAuth } from './oauth.ts';

/** The documents whose acceptance creating an organization records. */
const DOCUMENTS = { terms_version: '2026-01', privacy_version: '2026-01' } as const;

/** The registry on what this process is made of. @throws {AppError} naming the entry for a wrong list of blocked domains. */
export async function registryRoutes(core: Core, oauth: OAuth): Promise<Router> {
  const { config, authenticator, baseUrl, ...shared } = core;
  const blocked = await readBlockedDomains(join(config.catalogDir, 'blocked-domains.json'));
  const router = Router();
  router.get('/.well-known/adagents.json', (_request, response) => {
    response.set({ 'Cache-Control': 'public, max-age=300', 'Access-Control-Allow-Origin': '*' });
    response.json(adAgentsDocument(core));
  });
  return router.use(
    registryRouter({
      ...shared,
      baseUrl: () => baseUrl,
      documents: DOCUMENTS,
      billing: composeBilling(core),
      protocolVersion: await protocolVersion(),
      findBlocked: blockedDomainFinder(blocked),
      apiKeys: authenticator,
      verifyAccessToken: oauth.verifierOf('/api'),
    }),
  );
}

async function protocolVersion(): Promise<string> {
  const identity = await readFile(new URL('../../../agent-card/identity.json', import.meta.url), 'utf8');
  return CardIdentity.parse(JSON.parse(identity)).protocol.version;
}
