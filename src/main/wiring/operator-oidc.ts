import type { OidcSignIn } from '../../admin/oidc/oidc-routes.ts';
import { createOidcClient } from '../../directory/oauth/oidc-client.ts';
import type { Core } from './compose.ts';

/** How operators sign in at the identity provider that the settings name; undefined where they name none. */
export function operatorOidc({ config, operatorOutbound: outbound, clock, log, budgets, sealer }: Core) {
  const { operatorOidc: settings, freshSignInMs } = config;
  if (settings === undefined) return undefined;
  const { rolesByClaim, ...provider } = settings;
  const client = createOidcClient({ ...provider, outbound, clock, log });
  return { client, rolesByClaim, budgets, sealer, freshSignInMs } satisfies OidcSignIn;
}
