import type { Budgets } from '../platform/budget/budgets.ts';
import type { Clock, Ids } from '../platform/clock.ts';
import type { Store } from '../platform/store/collection.ts';
import type { Logger } from '../platform/log.ts';
import type { SecurityLog } from '../platform/security/security-log.ts';
import type { ProtocolNames } from '../platform/protocol-name.ts';
import type { Sealer } from '../platform/crypto/sealer.ts';
import type { ConfiguredClient, OwnClient } from './client/client.ts';
import type { IdentityProvider } from './identity-provider.ts';

/** What the authorization server is made of. */
export interface OAuthContext {
  store: Store;
  clock: Clock;
  ids: Ids;
  log: Logger;
  budgets: Budgets;
  security: SecurityLog;
  names: ProtocolNames;
  /** Seals signing keys and the forms that people send. */
  sealer: Sealer;
  /** The installation's secret; codes and refresh tokens are proved with a key derived from it. */
  secret: string;
  /** Read what they proved. */
  formerSecrets?: readonly string[];
  /** The issuer's name, and where it is reached; no slash at the end. */
  baseUrl: string;
  clients: readonly ConfiguredClient[];
  /** Parts of this agent that people sign in to here. */
  ownClients?: readonly OwnClient[];
  /** Who knows people by their passwords; undefined: nobody can sign in here. */
  identityProvider: IdentityProvider | undefined;
  /** Whether applications may register themselves (RFC 7591). */
  isRegistrationOpen: boolean;
}
