import type { OAuthContext } from '../context.ts';
import { registeredClients } from './client.ts';
import type { ConfiguredClient } from './client.ts';
import type { ProtectedResource } from '../resources.ts';

/** An application, and whether anybody here has looked at what it says of itself. */
export interface KnownClient extends ConfiguredClient {
  registeredItself: boolean;
  /** Of a part of this agent: all that it can ask for. No token is given to it. */
  resource?: ProtectedResource;
}

type Deps = Pick<OAuthContext, 'store' | 'clients' | 'ownClients' | 'isRegistrationOpen'>;

/** An application, of this agent, configured or registered; those that registered themselves count only while that is allowed. */
export async function findClient(deps: Deps, clientId: string): Promise<KnownClient | undefined> {
  const own = deps.ownClients?.find(({ client_id }) => client_id === clientId);
  if (own !== undefined) return { ...own, registeredItself: false };
  const configured = deps.clients.find(({ client_id }) => client_id === clientId);
  if (configured !== undefined) return { ...configured, registeredItself: false };
  if (!deps.isRegistrationOpen || clientId.length === 0 || clientId.length > 100) return undefined;
  const row = await deps.store.collection(registeredClients).get(clientId);
  return row && { ...row, registeredItself: true };
}

/** Keeps an application that somebody has allowed something. */
export async function keepClient({ store }: Pick<OAuthContext, 'store'>, clientId: string): Promise<void> {
  await store
    .collection(registeredClients)
    .update(clientId, (row) => (row.expires_at === null ? undefined : { ...row, expires_at: null }));
}
