import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import type { Express } from 'express';
import type { OidcSignIn } from '../../../src/admin/oidc/oidc-routes.ts';
import type { SecurityLog } from '../../../src/platform/security/security-log.ts';
import { COLLECTIONS } from '../../../src/main/wiring/collections.ts';
import { adminRouter } from '../../../src/admin/router.ts';
import { createSignInLink } from '../../../src/admin/sign-in-link.ts';
import type { BullQueues } from '../../../src/platform/queue/queue-bullmq.ts';
import { createQueues } from '../../../src/platform/queue/queue-bullmq.ts';
import { installation, silent } from '../../directory/support/installation.ts';
import type { Installation } from '../../directory/support/installation.ts';

/** The console on a real store and real queues, served at `baseUrl`. */
export interface Console extends Installation {
  app: Express;
  baseUrl: string;
  queues: BullQueues;
  signInLink(): Promise<string>;
}

export interface ConsoleOptions {
  publicUrl?: string;
  /** What keeps decisions about access; default: nothing. */
  security?: SecurityLog;
  /** The organization's own sign-in; default: none. */
  oidc?: (clock: Installation['clock']) => Promise<OidcSignIn>;
  hasLinks?: boolean;
}

export async function startConsole(options: ConsoleOptions = {}): Promise<Console> {
  const { publicUrl, security, oidc, hasLinks = true } = options;
  const at = { ...(await installation(COLLECTIONS)), ...(security && { security }) };
  const redisUrl = process.env['REDIS_TEST_URL'];
  if (redisUrl === undefined) throw new Error('REDIS_TEST_URL is not set');
  const queues = createQueues({ connection: redisUrl, prefix: `console-${randomUUID()}`, logger: silent });
  const app = express();
  let baseUrl = publicUrl ?? '';
  app.use(
    '/admin',
    adminRouter({
      ...at,
      bullQueues: () => queues.bullQueues(),
      baseUrl: () => baseUrl,
      log: silent,
      linkCommand: 'npm run agent -- sign-in',
      oidc: await oidc?.(at.clock),
      hasLinks,
    }),
  );
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  baseUrl = publicUrl ?? `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    ...at,
    app,
    baseUrl,
    queues,
    signInLink: () => createSignInLink(at, baseUrl),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      await queues.close();
      await at.close();
    },
  };
}
