import { randomBytes, randomUUID } from 'node:crypto';
import express from 'express';
import type { Express } from 'express';
import { createLocalJWKSet, exportJWK, generateKeyPair, SignJWT } from 'jose';
import request from 'supertest';
import type { Test } from 'supertest';
import { COLLECTIONS } from '../../../src/main/wiring/collections.ts';
import { apiKeys, createApiKey } from '../../../src/directory/api-key/api-key.ts';
import { authenticator } from '../../../src/directory/api-key/authenticator.ts';
import { createBlockList, plantBlocked } from '../../../src/directory/blocked-domain/block-list.ts';
import { SCOPES } from '../../../src/directory/caller.ts';
import type { Scope } from '../../../src/directory/caller.ts';
import { placeOfProof } from '../../../src/directory/domain-claim/domain-claim.ts';
import { newOrganization, organizations } from '../../../src/directory/organization/organization.ts';
import type { NewOrganization, Organization } from '../../../src/directory/organization/organization.ts';
import { toTimestamp } from '../../../src/platform/clock.ts';
import type { Store } from '../../../src/platform/store/collection.ts';
import { createChangeSignal } from '../../../src/platform/redis/change-signal-redis.ts';
import type { ResolveTxt } from '../../../src/platform/outbound/resolve-txt.ts';
import type { Resolve } from '../../../src/platform/outbound/resolve.ts';
import { protocolNames } from '../../../src/platform/protocol-name.ts';
import type { BudgetSizes } from '../../../src/platform/budget/budget-table.ts';
import { createBudgets } from '../../../src/platform/budget/budgets.ts';
import { noCounters } from '../../../src/platform/metrics/metrics.ts';
import type { RateLimiter } from '../../../src/platform/redis/rate-limit.ts';
import { createTargetGate } from '../../../src/platform/redis/target-gate-redis.ts';
import type { TargetGate } from '../../../src/platform/redis/target-gate.ts';
import { createRateLimiter } from '../../../src/platform/redis/rate-limit-redis.ts';
import { grantEnder } from '../../../src/oauth/grant/end-grants.ts';
import { accessTokenVerifier } from '../../../src/directory/oauth/access-token.ts';
import { sealer } from '../../../src/platform/crypto/sealer.ts';
import { createQueues } from '../../../src/platform/queue/queue-bullmq.ts';
import { endGoneWatch } from '../../../src/registry/publisher-webhooks/look.ts';
import type { StorePatience } from '../../../src/registry/http/store-watch.ts';
import type { Endpoint } from '../../../src/registry/endpoint.ts';
import { registryRouter } from '../../../src/registry/router.ts';
import { documentSigner } from '../../../src/main/wiring/document-signer.ts';
import { createWebhooks } from '../../../src/webhooks/webhooks.ts';
import type { Webhooks } from '../../../src/webhooks/webhooks.ts';
import { installation, silent } from '../../directory/support/installation.ts';
import type { Installation } from '../../directory/support/installation.ts';
import { organizationId } from '../../support/ids.ts';
import { patientOutbound } from '../../support/patient-outbound.ts';
import { slowWindows } from '../../support/slow-windows.ts';
import { LONG_MS } from '../../support/until.ts';

export const ISSUER = 'https://id.test.example';
export const BASE_URL = 'https://registry.test.example';

/** A claim set of a test's user; what is not said has a good value. */
export interface TokenClaims {
  sub: string;
  email?: string;
  email_verified?: boolean;
  iss?: string;
  aud?: string;
  /** Default: it says nothing of scopes. */
  scope?: string;
  /** Default: it names none. */
  organization_id?: string;
  /** Seconds from now. */
  expiresIn?: number;
}

/** The registry on a real store and a real Redis. One for a file: tests keep apart by names and addresses of their own. */
export interface Registry extends Installation {
  app: Express;
  webhooks: Webhooks;
  gate: TargetGate;
  get(path: string): Test;
  post(path: string, body?: string | object): Test;
  send(method: Endpoint['method'] | 'options', path: string, body?: object): Test;
  preflight(path: string): Test;
  /** An access token of a user. */
  token(claims: TokenClaims): Promise<string>;
  /** A stored organization, with what is not said neutral. */
  organization(given: Partial<NewOrganization>): Promise<Organization>;
  /** An API key of an organization. */
  apiKey(organization: string, scopes?: readonly Scope[]): Promise<string>;
}

export async function startRegistry(
  kind: Store['kind'],
  {
    wrapStore = (store) => store,
    adAgentsUrl = (domain) => `https://${domain}/adagents.json`,
    brandJsonUrl,
    resolveTxt = () => Promise.resolve({ records: [], aliases: [] }),
    claimFileUrl = placeOfFile,
    limitsOf = `registry-${randomUUID()}`,
    wrapLimiter = (limiter) => limiter,
    sizes = {},
    storePatience,
    baseUrl = () => BASE_URL,
    stallMs,
    probeMs = LONG_MS,
    onError,
  }: {
    wrapStore?: (store: Store) => Store;
    adAgentsUrl?: (domain: string) => string;
    /** Default: the product's own. */
    brandJsonUrl?: (domain: string) => string;
    resolveTxt?: ResolveTxt;
    claimFileUrl?: (domain: string) => string;
    /** Copies of one server have the same. */
    limitsOf?: string;
    wrapLimiter?: (limiter: RateLimiter) => RateLimiter;
    /** Budgets whose size is not the table's. */
    sizes?: BudgetSizes;
    /** Default: the product's own. */
    storePatience?: StorePatience;
    /** Where it is reached; default: a name that leads nowhere. */
    baseUrl?: () => string;
    /** See the context. */
    stallMs?: number;
    /** See the context; default: longer than anything takes. */
    probeMs?: number;
    /** Told of what is logged as an error. */
    onError?: (line: unknown) => void;
  } = {},
): Promise<Registry> {
  const at = await installation(COLLECTIONS, kind);
  await plantBlocked(at, [
    { domain: 'adserver.example', domain_type: 'ad_server', blocked_reason: 'serves ads' },
    { domain: 'cdn.host.example', domain_type: 'cdn', blocked_reason: 'serves files' },
  ]);
  const limiter = slowWindows(
    createRateLimiter({ connection: process.env['REDIS_TEST_URL'] ?? '', prefix: limitsOf, logger: silent }),
  );
  const changeSignal = createChangeSignal({
    connection: process.env['REDIS_TEST_URL'] ?? '',
    prefix: `registry-${randomUUID()}`,
    logger: silent,
  });
  const outbound = patientOutbound({ allowLoopback: true, resolve: testResolve });
  const queues = createQueues({
    connection: process.env['REDIS_TEST_URL'] ?? '',
    prefix: `registry-${randomUUID()}`,
    logger: silent,
  });
  const gate = createTargetGate({
    connection: process.env['REDIS_TEST_URL'] ?? '',
    prefix: `registry-${randomUUID()}`,
    logger: silent,
  });
  const webhooks: Webhooks = createWebhooks({
    ...{ ...at, queues, outbound, log: silent, names: protocolNames() },
    store: wrapStore(at.store),
    sealer: sealer('a sealing secret of the tests, long enough'),
    identity: { publicBaseUrl: BASE_URL, name: 'Registry' },
    allowLoopback: true,
    allowLegacyBearer: false,
    gate,
    onGone: (delivery) => endGoneWatch({ ...at, webhooks }, delivery),
  });
  const { privateKey, publicKey } = await generateKeyPair('EdDSA');
  const keys = createLocalJWKSet({ keys: [{ ...(await exportJWK(publicKey)), alg: 'EdDSA', kid: 'k1' }] });
  const audience = `${BASE_URL}/api`;
  const apiKeyAuthenticator = authenticator({
    keys: wrapStore(at.store).collection(apiKeys),
    clock: at.clock,
    log: silent,
    security: at.security,
  });
  const app = express();
  app.set('trust proxy', true);
  const registry = registryRouter({
    ...at,
    store: wrapStore(at.store),
    ...(storePatience && { storePatience }),
    webhooks,
    log: onError === undefined ? silent : Object.assign(Object.create(silent) as typeof silent, { error: onError }),
    baseUrl,
    signer: () => documentSigner({ webhooks, baseUrl: BASE_URL }),
    documents: { terms_version: '2026-01', privacy_version: '2025-11' },
    changeSignal,
    outbound,
    probeMs,
    ...(stallMs !== undefined && { stallMs }),
    adAgentsUrl,
    ...(brandJsonUrl && { brandJsonUrl }),
    resolveTxt,
    claimFileUrl,
    endGrants: grantEnder({ ...at, issuer: ISSUER }),
    names: protocolNames(),
    protocolVersion: '3.1',
    blockList: createBlockList(at),
    apiKeys: apiKeyAuthenticator,
    verifyAccessToken: accessTokenVerifier({ issuer: ISSUER, audience, keys, clock: at.clock }),
    budgets: createBudgets({ limiter: wrapLimiter(limiter), clock: at.clock, counters: noCounters, sizes }),
  });
  app.use(registry.atPlainPaths, registry.router);

  return {
    ...at,
    app,
    webhooks,
    gate,
    get: (path) => request(app).get(path).set('X-Forwarded-For', freshAddress()),
    post: (path, body) => request(app).post(path).set('X-Forwarded-For', freshAddress()).send(body),
    send: (method, path, body) => request(app)[method](path).set('X-Forwarded-For', freshAddress()).send(body),
    preflight: (path) => request(app).options(path).set('Origin', 'https://site.example'),
    token({
      sub,
      email,
      email_verified = true,
      iss = ISSUER,
      aud = audience,
      scope,
      organization_id,
      expiresIn = 600,
    }) {
      const now = Math.floor(at.clock.now() / 1000);
      return new SignJWT({
        ...(email !== undefined && { email, email_verified }),
        ...(scope !== undefined && { scope }),
        ...(organization_id !== undefined && { organization_id }),
      })
        .setProtectedHeader({ alg: 'EdDSA', kid: 'k1', typ: 'at+jwt' })
        .setSubject(sub)
        .setIssuer(iss)
        .setAudience(aud)
        .setIssuedAt(now)
        .setExpirationTime(now + expiresIn)
        .sign(privateKey);
    },
    async organization(given) {
      const row = newOrganization({
        organization_id: organizationId(`org_${randomUUID()}`),
        name: 'Test Organization',
        state: 'active',
        created_at: toTimestamp(at.clock.now()),
        ...given,
      });
      await at.store.collection(organizations).insert(row);
      return row;
    },
    async apiKey(organization, scopes = SCOPES) {
      const made = await createApiKey(
        { ...at, keys: at.store.collection(apiKeys) },
        { organization_id: organizationId(organization), name: 'test', scopes },
      );
      return made.raw;
    },
    async close() {
      await apiKeyAuthenticator.idle();
      await changeSignal.close();
      await queues.close();
      await outbound.close();
      await limiter.close();
      await gate.close();
      await at.close();
    },
  };
}

const placeOfFile = (domain: string) => placeOfProof({ domain, method: 'file' });

/** Names under `private.test` lead into a private network, as a hostile name server would have it; no other name exists. */
const testResolve: Resolve = (hostname) =>
  hostname.endsWith('private.test')
    ? Promise.resolve([{ address: '10.0.0.7', family: 4 }])
    : Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }));

/** A random address, so that tests share no limit unless they choose one. */
export function freshAddress(): string {
  const groups = randomBytes(8).toString('hex').match(/.{4}/g) ?? [];
  return `2001:${groups.slice(0, 3).join(':')}::1`;
}
