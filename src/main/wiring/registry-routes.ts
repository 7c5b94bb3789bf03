import { readFile } from 'node:fs/promises';
import { Router } from 'express';
import { CardIdentity } from '../../a2a/card/identity.ts';
import { signalOf } from '../../admin/live-topics.ts';
import type { BillingProvider } from '../../directory/billing/billing-provider.ts';
import { sandboxProvider } from '../../directory/billing/sandbox-provider.ts';
import type { SandboxProvider } from '../../directory/billing/sandbox-provider.ts';
import { stripeProvider } from '../../directory/billing/stripe-provider.ts';
import { plantBlocked } from '../../directory/blocked-domain/block-list.ts';
import { createResolveTxt } from '../../platform/outbound/resolve-txt.ts';
import type { RegistryContext } from '../../registry/context.ts';
import { registryRouter } from '../../registry/router.ts';
import { adAgentsPlaces } from './adagents-places.ts';
import { blockedAtFirst } from './blocked-at-first.ts';
import type { Core } from './compose.ts';
import { documentSigner } from './document-signer.ts';
import type { OAuth } from './oauth.ts';
import { adAgentsDocument } from './own-inventory.ts';

/** The documents whose acceptance creating an organization records. */
const DOCUMENTS = { terms_version: '2026-01', privacy_version: '2026-01' } as const;

/** The registry on what this process is made of. @throws {CatalogError} naming the entry for a wrong list of blocked domains. */
export async function registryRoutes(
  core: Core,
  oauth: OAuth,
  { stopping }: Pick<RegistryContext, 'stopping'>,
): Promise<Router> {
  const { config, authenticator, baseUrl, ...shared } = core;
  await plantBlocked(core, await blockedAtFirst(config));
  // Other processes change the list, too.
  await core.changeSignal.subscribe(signalOf('blocked_domains'), () => {
    core.blockList.forget();
  });
  const router = Router();
  router.get('/.well-known/adagents.json', (_request, response) => {
    response.set({ 'Cache-Control': 'public, max-age=300', 'Access-Control-Allow-Origin': '*' });
    response.json(adAgentsDocument(core));
  });
  return router.use(
    registryRouter({
      ...shared,
      ...adAgentsPlaces(config),
      ...(stopping && { stopping }),
      baseUrl: () => baseUrl,
      documents: DOCUMENTS,
      billing: billingOf(core),
      resolveTxt: createResolveTxt(),
      endGrants: oauth.endGrants,
      signer: () => documentSigner(core),
      protocolVersion: await protocolVersion(),
      apiKeys: authenticator,
      verifyAccessToken: oauth.verifierOf('/api'),
    }),
  );
}

/** The billing provider that is configured (rule R10). */
function billingOf(core: Core): SandboxProvider | BillingProvider<'stripe'> | undefined {
  const { config } = core;
  const baseUrl = () => core.baseUrl;
  if (config.stripe !== undefined) return stripeProvider({ ...core, ...config.stripe, baseUrl });
  return config.hasSandboxBilling ? sandboxProvider({ ...core, baseUrl }) : undefined;
}

async function protocolVersion(): Promise<string> {
  const identity = await readFile(new URL('../../../agent-card/identity.json', import.meta.url), 'utf8');
  return CardIdentity.parse(JSON.parse(identity)).protocol.version;
}
