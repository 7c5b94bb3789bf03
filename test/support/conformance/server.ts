import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Role } from '@a2a-js/sdk';
import type { Message } from '@a2a-js/sdk';
import express from 'express';
import type { Credentials } from '../../../src/a2a/authentication.ts';
import type { CardGeneration } from '../../../src/a2a/card/card-documents.ts';
import { CardIdentity } from '../../../src/a2a/card/identity.ts';
import { a2aRouter } from '../../../src/a2a/router.ts';
import { SCOPES } from '../../../src/directory/caller.ts';
import type { Caller } from '../../../src/directory/caller.ts';
import { ensureBootstrapKey } from '../../../src/directory/bootstrap.ts';
import { addressBook } from '../../../src/main/process/known-address.ts';
import { listen } from '../../../src/main/process/listen.ts';
import { runProcess } from '../../../src/main/process/process.ts';
import { printLine } from '../../../src/main/process/ready.ts';
import { composeOAuth } from '../../../src/main/wiring/oauth.ts';
import { createServerApp } from '../../../src/main/wiring/server-app.ts';
import { organizationId } from '../ids.ts';
import { composeWithConformance } from './core.ts';
import { conformance } from './skill.ts';

/** The real server, whose A2A edge takes every message that names no skill as one for the conformance skill. */
await runProcess({ allowLoopback: true }, async (config, log) => {
  const listening = await listen(config.host, config.port);
  // Some versions of the kits take a card with an IP address in it for one that tells too much.
  const core = await composeWithConformance(
    config,
    log,
    config.publicUrl ?? listening.url.replace('127.0.0.1', 'localhost'),
  );
  const { runtime, names, clock, ids, baseUrl, authenticator } = core;
  const isAuthenticated = config.bootstrapApiKey !== undefined;
  const identity = CardIdentity.parse(JSON.parse(await readFile('agent-card/identity.json', 'utf8')) as unknown);
  const app = express();
  app.use(
    a2aRouter({
      ...{ runtime, names, log, clock, ids, identity, isAuthenticated },
      version: '1.0.0',
      baseUrl: () => baseUrl,
      credentials: isAuthenticated ? authenticator : anybody(),
      catchAll: conformance.name,
      converse,
      // The kits send one message again and again, over one binding after the other, and expect another task each time.
      dedupes: process.env['CONFORMANCE_DEDUPES'] === 'true',
      unversionedCard: unversionedCard(process.env['CONFORMANCE_CARD']),
    }),
  );
  app.use(await createServerApp(core, await composeOAuth(core), express.Router()));
  await addressBook(core.store).say(baseUrl);
  if (config.bootstrapApiKey !== undefined) await ensureBootstrapKey(core, config.bootstrapApiKey);
  await core.webhooks.keys.signer();
  listening.answer(app);
  printLine({ ready: true, base_url: baseUrl, card_url: `${baseUrl}/.well-known/agent-card.json` });
  return {
    async stop() {
      await listening.stop();
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
