import type { Router } from 'express';
import { ownTools } from '../../mcp/own-tools.ts';
import { publicTools } from '../../mcp/public-tools.ts';
import { mcpRouter } from '../../mcp/router.ts';
import type { McpOptions } from '../../mcp/router.ts';
import { isLoopbackHost } from '../config/loopback.ts';
import type { A2aRoutes } from './a2a-routes.ts';
import type { Core } from './compose.ts';
import { edgeCredentials } from './edge-credentials.ts';
import type { OAuth } from './oauth.ts';

/**
 * MCP on what this process is made of, in the languages that A2A speaks.
 * @param stopping ends every open answer, so that a server stops at once.
 * @param changes what differs from the product, for tests, and for agents made to test others with.
 */
export function mcpRoutes(
  core: Core,
  oauth: OAuth,
  stopping: AbortSignal,
  { dialects, about }: Pick<A2aRoutes, 'dialects' | 'about'>,
  changes: Partial<McpOptions> = {},
): Router {
  const { config, runtime, baseUrl, budgets, clock, log } = core;
  const own = edgeCredentials(core, oauth, '/mcp');
  const now = changes.credentials ?? own.now;
  return mcpRouter({
    ...{ runtime, budgets, clock, log, stopping },
    counters: core.metrics,
    security: core.security,
    tools: { public: () => publicTools(dialects), contract: () => ownTools(core) }[config.mcpTasks](),
    about: { name: 'media-buy-agent', ...about },
    credentials: own.credentials,
    lookAgain: (credential, since) => now.authenticate(credential, since),
    names: {
      baseUrl,
      isAtLoopback: isLoopbackHost(config.host) || EVERYWHERE.has(config.host),
      corsOrigins: config.corsOrigins,
    },
    resourceMetadataUrl: () => oauth.metadataUrlOf('/mcp'),
    ...changes,
  });
}

/** Addresses that stand for all of a machine's, the loopback ones among them. */
const EVERYWHERE = new Set(['0.0.0.0', '::']);
