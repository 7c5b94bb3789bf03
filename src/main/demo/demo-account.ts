import { createHmac } from 'node:crypto';
import { ensureDemoOwner } from '../../directory/bootstrap.ts';
import { userIdOf } from '../../directory/oauth/access-token.ts';
import type { ConfiguredClient } from '../../oauth/client/client.ts';
import { developmentSubject } from '../../oauth/identity-provider.ts';
import type { DevelopmentAccount } from '../../oauth/identity-provider.ts';
import type { Core } from '../wiring/compose.ts';

/** The demo's person, who owns the demo's buyer. The password is the same at each start and stored nowhere. */
export function demoAccount(secret: string): DevelopmentAccount {
  const password = createHmac('sha256', secret).update('demo account password').digest('base64url').slice(0, 20);
  return { email: 'demo@demo-buyer.example', password };
}

/** A native application on this machine, such as a script that waits for the answer on a free port. */
export const DEMO_CLIENT: ConfiguredClient = {
  client_id: 'demo-client',
  client_name: 'Demo client',
  redirect_uris: ['http://127.0.0.1/callback'],
};

/** Makes the demo's person an owner of the demo's buyer. */
export function seedDemoAccount(core: Core): Promise<void> {
  const { email } = demoAccount(core.secret);
  return ensureDemoOwner(core, userIdOf(core.baseUrl, developmentSubject(email)));
}
