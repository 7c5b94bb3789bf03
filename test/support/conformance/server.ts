import { randomUUID } from 'node:crypto';
import { Router } from 'express';
import { Role } from '@a2a-js/sdk';
import type { Message } from '@a2a-js/sdk';
import type { Credentials } from '../../../src/directory/credential/authentication.ts';
import type { CardGeneration } from '../../../src/a2a/card/card-documents.ts';
import { SCOPES } from '../../../src/directory/caller.ts';
import type { Caller } from '../../../src/directory/caller.ts';
import { ensureBootstrapKey } from '../../../src/directory/bootstrap.ts';
import { addressBook } from '../../../src/main/process/known-address.ts';
import { listen } from '../../../src/main/process/listen.ts';
import { runProcess } from '../../../src/main/process/process.ts';
import { printLine } from '../../../src/main/process/ready.ts';
import { a2aRoutes } from '../../../src/main/wiring/a2a-routes.ts';
import { mcpRoutes } from '../../../src/main/wiring/mcp-routes.ts';
import { composeOAuth } from '../../../src/main/wiring/oauth.ts';
import { createServerApp } from '../../../src/main/wiring/server-app.ts';
import { ownTools } from '../../../src/mcp/own-tools.ts';
import { organizationId } from '../ids.ts';
import { composeWithConformance } from './core.ts';
import { withSchemaFixture } from './mcp-fixtures.ts';
import { conformance } from './skill.ts';

/** The real server, whose A2A edge takes every message that names no skill as one for the conformance skill. */
await runProcess({ allowLoopback: true }, async (config, log) => {
  const listening = await listen(config.host, config.port);
  // Some versions of the kits take a card with an IP address in it for one that tells too much.
  const baseUrl = config.publicUrl ?? listening.url.replace('127.0.0.1', 'localhost');
  const isAuthenticated = config.bootstrapApiKey !== undefined;
  const core = await composeWithConformance({ ...config, grpcPort: config.grpcPort ?? 0 }, log, baseUrl);
  const stopping = new AbortController();
  const oauth = await composeOAuth(core);
  const a2a = await a2aRoutes(core, oauth, stopping.signal, {
    catchAll: conformance.name,
    converse,
    // The kits send one message to this skill over one binding after the other, again on each run, and expect another task
    // each time. All other skills, and messages to tasks that there are, dedupe as ever.
    catchAllDedupes: process.env['CONFORMANCE_DEDUPES'] === 'true',
    unversionedCard: unversionedCard(process.env['CONFORMANCE_CARD']),
    ...(!isAuthenticated && { isAuthenticated, credentials: anybody() }),
  });
  const mcp = mcpRoutes(core, oauth, stopping.signal, a2a, {
    tools: withSchemaFixture(ownTools(core)),
    ...(!isAuthenticated && { credentials: anybody() }),
  });
  const app = await createServerApp(core, oauth, Router().use(a2a.router, mcp));
  await addressBook(core.store).say(baseUrl);
  if (config.bootstrapApiKey !== undefined) await ensureBootstrapKey(core, config.bootstrapApiKey);
  await core.webhooks.keys.signer();
  const grpc = await a2a.startGrpc();
  listening.answer(app);
  const grpc_address = `${new URL(baseUrl).hostname}:${grpc?.port}`;
  printLine({ ready: true, base_url: baseUrl, card_url: `${baseUrl}/.well-known/agent-card.json`, grpc_address });
  return {
    async stop() {
      stopping.abort();
      await listening.stop();
      await grpc?.stop(1_000);
      await core.close();
    },
  };
});

/** One organization for whoever comes, with or without a credential: the kits bring none unless told to. */
function anybody(): Credentials {
  const caller: Caller = { organization_id: organizationId('conformance'), principal_id: 'kit', scopes: SCOPES };
  return { authenticate: () => Promise.resolve(caller), anonymous: () => caller };
}

function converse({ messageId, contextId }: Message): Message | undefined {
  if (!messageId.startsWith('tck-message-response')) return undefined;
  return {
    messageId: randomUUID(),
    contextId: contextId === '' ? randomUUID() : contextId,
    taskId: '',
    role: Role.ROLE_AGENT,
    parts: [
      {
        content: { $case: 'text', value: 'Direct message response' },
        metadata: undefined,
        filename: '',
        mediaType: '',
      },
    ],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
}

function unversionedCard(text: string | undefined): CardGeneration {
  return text === '1.0' || text === '0.3' ? text : 'both';
}
