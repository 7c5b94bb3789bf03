import { readFile } from 'node:fs/promises';
import type { Router } from 'express';
import { CardIdentity } from '../../a2a/card/identity.ts';
import { createEdge } from '../../a2a/edge.ts';
import type { EdgeOptions } from '../../a2a/edge.ts';
import type { GrpcServer } from '../../a2a/grpc-server.ts';
import { a2aRouter } from '../../a2a/router.ts';
import type { A2aOptions } from '../../a2a/router.ts';
import { createDialects } from '../../dialects/dialects.ts';
import type { Dialects } from '../../dialects/dialects.ts';
import { readPlainText } from '../../tasks/plain-text.ts';
import type { Core } from './compose.ts';
import { dialectSources } from './dialect-sources.ts';
import { documentSigner } from './document-signer.ts';
import { edgeCredentials } from './edge-credentials.ts';
import type { OAuth } from './oauth.ts';
import { productVersion } from './product-version.ts';

const ROOT = new URL('../../../', import.meta.url);

/** A2A on what this process is made of: over HTTP, and over gRPC once that is started. */
export interface A2aRoutes {
  router: Router;
  /** For the other edges that speak them. */
  dialects: Dialects;
  /** Who the agent is. */
  about: { title: string; version: string };
  /** Takes the port of `GRPC_PORT`; undefined when that is not set. */
  startGrpc(): Promise<GrpcServer | undefined>;
}

/**
 * @param stopping ends every open stream, so that a server with streams stops at once.
 * @param changes what differs from the product, for agents made to test others with.
 */
export async function a2aRoutes(
  core: Core,
  oauth: OAuth,
  stopping: AbortSignal,
  changes: Partial<A2aOptions> = {},
): Promise<A2aRoutes> {
  const { runtime, names, log, clock, ids, budgets, config, baseUrl } = core;
  const identity = CardIdentity.parse(await readJson('agent-card/identity.json'));
  const version = await productVersion();
  const { grpcPort, host, corsOrigins } = config;
  const dialects = createDialects({
    ...core,
    ...(await dialectSources(core, { ...core.sales, tested: core.tested }, core)),
    discovery: config.anonymousDiscovery,
  });
  const opening = edgeCredentials(core, oauth, '/a2a');
  const { credentials = opening.credentials } = changes;
  const now = changes.credentials ?? opening.now;
  let takenPort = grpcPort;
  const { endpoints } = oauth;
  const options: EdgeOptions = {
    ...{ runtime, names, log, clock, ids, budgets, identity, version, stopping },
    baseUrl: () => baseUrl,
    calling: core.calling,
    dialects,
    cardSigner: () => documentSigner(core),
    counters: core.metrics,
    security: core.security,
    lookAgain: (credential, since) => now.authenticate(credential, since),
    fromText: (text) => {
      const { isBrief, likeliest } = readPlainText(text, [...runtime.tasks.keys()]);
      return isBrief ? { skill: 'get_products', input: { brief: text } } : { likeliest };
    },
    ...(endpoints !== undefined && { oauth: () => endpoints }),
    ...(grpcPort !== undefined && {
      grpcAddress: () => config.grpcAddress ?? `${new URL(baseUrl).hostname}:${takenPort}`,
    }),
    ...changes,
  };
  const edge = createEdge(options);
  const resourceMetadataUrl = () => oauth.metadataUrlOf('/a2a');
  return {
    dialects,
    about: { title: identity.name, version },
    router: a2aRouter({ ...options, credentials, resourceMetadataUrl, corsOrigins }, edge),
    async startGrpc() {
      if (grpcPort === undefined) return undefined;
      // Its library is a tenth of a start, which most servers do without.
      const { startGrpc } = await import('../../a2a/grpc-server.ts');
      const trustedProxies = Number(config.trustProxy);
      const { unfinished } = core;
      const server = await startGrpc({ edge, credentials, host, port: grpcPort, trustedProxies, unfinished });
      takenPort = server.port;
      return server;
    },
  };
}

async function readJson(path: string): Promise<unknown> {
  return JSON.parse(await readFile(new URL(path, ROOT), 'utf8')) as unknown;
}
