import type { BillingProvider } from '../directory/billing/billing-provider.ts';
import type { SandboxProvider } from '../directory/billing/sandbox-provider.ts';
import type { BlockList } from '../directory/blocked-domain/block-list.ts';
import type { EndGrants } from '../directory/oauth/grant-facts.ts';
import type { DocumentSigner } from '../platform/crypto/document-signer.ts';
import type { Budgets } from '../platform/budget/budgets.ts';
import type { Clock, Ids } from '../platform/clock.ts';
import type { Store } from '../platform/store/collection.ts';
import type { KeptAnswers } from '../platform/store/kept-answers.ts';
import type { Logger } from '../platform/log.ts';
import type { SecurityLog } from '../platform/security/security-log.ts';
import type { Outbound } from '../platform/outbound/outbound-client.ts';
import type { ResolveTxt } from '../platform/outbound/resolve-txt.ts';
import type { ChangeSignal } from '../platform/redis/change-signal.ts';
import type { ProtocolNames } from '../platform/protocol-name.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import type { KeptPages } from './feed/kept-pages.ts';
import type { StorePatience } from './http/store-watch.ts';

/** What every handler of the registry can use. */
export interface RegistryContext {
  store: Store;
  /** Answers that this process keeps while nothing they were made of is written. */
  kept: KeptAnswers;
  /** Pages of the feed that this process keeps. */
  keptPages: KeptPages;
  /** How long callers wait for a store that does not answer. Default: under 3 s in all. */
  storePatience?: StorePatience;
  clock: Clock;
  ids: Ids;
  log: Logger;
  budgets: Budgets;
  security: SecurityLog;
  /** Rung when the feed has something new. */
  changeSignal: ChangeSignal;
  /** Ends the feed's streams when it aborts; their clients go on elsewhere, by the last id they had. */
  stopping?: AbortSignal;
  /** The guarded way out (rule W16). */
  outbound: Pick<Outbound, 'send' | 'fetchJson' | 'fetchBytes'>;
  /** Asks name servers for what proves a domain. */
  resolveTxt: ResolveTxt;
  /** Where the file that proves a domain is. Default: the well-known path at it over https. */
  claimFileUrl?: (domain: string) => string;
  /** Ends what a former member had allowed applications for the organization. */
  endGrants: EndGrants;
  /** How long asking a stranger's agent may take in all, in milliseconds (rule R12). Default 9,500. */
  probeMs?: number;
  /** How long a client that takes nothing of a streamed answer may hold it open, in milliseconds. Default: that of all streams. */
  stallMs?: number;
  /** Where a publisher's `adagents.json` is. Default: the well-known path at its domain over https. */
  adAgentsUrl?: (publisherDomain: string) => string;
  /** Where a domain's `brand.json` is. Default: the well-known path at it over https. */
  brandJsonUrl?: (domain: string) => string;
  names: ProtocolNames;
  /** The protocol's release that a look-up without one means, as MAJOR.MINOR. */
  protocolVersion: string;
  blockList: Pick<BlockList, 'finder'>;
  webhooks: Pick<Webhooks, 'buyer' | 'sealBuyChannel' | 'testChannel' | 'end'>;
  /** Versions of the documents that creating an organization accepts. */
  documents: { terms_version: string; privacy_version: string };
  /** Who takes the money for memberships; absent: subscriptions cannot be begun here. */
  billing?: SandboxProvider | BillingProvider<'stripe'> | undefined;
  /** The key that signs statements now. */
  signer: () => Promise<DocumentSigner>;
  /** The origin (and path, if any) the registry is reached at, without a slash at the end. */
  baseUrl: () => string;
}
