import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import { eitherCredential } from '../../../src/directory/credential/authentication.ts';
import type { Credentials } from '../../../src/directory/credential/authentication.ts';
import { createEdge } from '../../../src/a2a/edge.ts';
import { a2aRouter } from '../../../src/a2a/router.ts';
import type { A2aOptions } from '../../../src/a2a/router.ts';
import { CardIdentity } from '../../../src/a2a/card/identity.ts';
import { startGrpc } from '../../../src/a2a/grpc-server.ts';
import type { GrpcOptions, GrpcServer } from '../../../src/a2a/grpc-server.ts';
import { apiKeys, createApiKey, revokeApiKey } from '../../../src/directory/api-key/api-key.ts';
import { authenticator } from '../../../src/directory/api-key/authenticator.ts';
import { keysNow } from '../../../src/directory/api-key/keys-now.ts';
import type { Scope } from '../../../src/directory/caller.ts';
import { organizations } from '../../../src/directory/organization/organization.ts';
import { randomIds, systemClock } from '../../../src/platform/clock.ts';
import type { Collection } from '../../../src/platform/store/collection.ts';
import { createChangeSignal } from '../../../src/platform/redis/change-signal-redis.ts';
import { createLogger } from '../../../src/platform/log.ts';
import { protocolNames } from '../../../src/platform/protocol-name.ts';
import { createQueues } from '../../../src/platform/queue/queue-bullmq.ts';
import { sealer } from '../../../src/platform/crypto/sealer.ts';
import type { OrganizationId } from '../../../src/platform/organization-id.ts';
import { noSecurityLog } from '../../../src/platform/security/security-log.ts';
import { openStore } from '../../../src/platform/store/store.ts';
import { RUN_QUEUE } from '../../../src/runtime/dependencies.ts';
import { createRuntime } from '../../../src/runtime/runtime.ts';
import type { Runtime } from '../../../src/runtime/runtime.ts';
import type { TaskDefinition } from '../../../src/runtime/task-definition.ts';
import { TaskRuns } from '../../../src/runtime/task-run.ts';
import type { TaskRun } from '../../../src/runtime/task-run.ts';
import { Deliveries } from '../../../src/webhooks/delivery/delivery.ts';
import type { Delivery } from '../../../src/webhooks/delivery/delivery.ts';
import { createWebhooks } from '../../../src/webhooks/webhooks.ts';
import { organizationId } from '../../support/ids.ts';
import { patientOutbound } from '../../support/patient-outbound.ts';
import { watchForLeaks } from './leaks.ts';

export interface AgentSetup {
  tasks: readonly TaskDefinition[];
  /** Default: the embedded store, in a folder of its own. */
  mongodbUrl?: string | undefined;
  /** Processes that share a store and a Redis prefix are copies of one agent. */
  shared?: { dataDir: string; prefix: string };
  /** Whether this process takes work. Default true. */
  works?: boolean;
  /** Whether it speaks gRPC too. */
  grpc?: boolean;
  /** Who holds an access token. */
  tokens?: Credentials;
  options?: Partial<A2aOptions>;
}

/** One copy of an agent, as main makes it, with tasks of the test's own. */
export interface Agent {
  url: string;
  /** Empty where it does not speak gRPC. */
  grpcAddress: string;
  runtime: Runtime;
  runs: Collection<TaskRun>;
  deliveries: Collection<Delivery>;
  shared: { dataDir: string; prefix: string };
  /** Streams open at this process. */
  openStreams(): number;
  /** A key of a new organization, or of the one given. */
  newKey(scopes?: readonly Scope[], organization_id?: OrganizationId): Promise<string>;
  /** Revokes every key of an organization. */
  revokeKeys(organization_id: OrganizationId): Promise<void>;
  stopGrpc(graceMs: number): Promise<void>;
  /** One more port of gRPC, which closes with the agent. */
  openGrpc(options: Pick<GrpcOptions, 'limits' | 'unfinished' | 'trustedProxies'>): Promise<GrpcServer>;
  close(): Promise<void>;
}

const SECRET = 'a secret of this test that is long enough';

/** Its `close` throws when any of its answers over HTTP held something internal. */
export async function openAgent(setup: AgentSetup): Promise<Agent> {
  const log = createLogger('fatal');
  const dataDir = setup.shared?.dataDir ?? (await mkdtemp(join(tmpdir(), 'a2a-test-')));
  const prefix = setup.shared?.prefix ?? `t-${randomUUID()}`;
  const connection = process.env['REDIS_TEST_URL'] ?? '';
  const [clock, ids, names] = [systemClock, randomIds, protocolNames()];
  const store = await openStore({ mongodbUrl: setup.mongodbUrl, dataDir, logger: log });
  const queues = createQueues({ connection, prefix, logger: log });
  const changeSignal = createChangeSignal({ connection, prefix, logger: log });
  const outbound = patientOutbound({ allowLoopback: true });
  const [runs, keys] = [store.collection(TaskRuns), store.collection(apiKeys)];
  const webhooks = createWebhooks({
    ...{ store, queues, outbound, clock, ids, log, names },
    sealer: sealer(SECRET),
    identity: { publicBaseUrl: 'http://127.0.0.1', agentUrl: 'http://127.0.0.1/a2a/jsonrpc', name: 'test agent' },
    allowLoopback: true,
    allowLegacyBearer: true,
  });
  store.collection(organizations);
  await store.prepare();
  const runtime = await createRuntime({
    ...{ runs, changeSignal, clock, ids, log },
    queue: queues.queue(RUN_QUEUE),
    notifier: webhooks.notifier,
    tasks: new Map(setup.tasks.map((task) => [task.name, task])),
    ...(setup.options?.budgets && { budgets: setup.options.budgets }),
  });
  const credentials = authenticator({ keys, clock, log, security: noSecurityLog });
  const app = express();
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const identity = CardIdentity.parse(JSON.parse(await readFile('agent-card/identity.json', 'utf8')) as unknown);
  const options: A2aOptions = {
    ...{ runtime, names, log, clock, ids, identity },
    credentials: eitherCredential(credentials, setup.tokens),
    lookAgain: (credential, since) =>
      eitherCredential(keysNow({ store, clock }), setup.tokens).authenticate(credential, since),
    version: '0.0.1',
    baseUrl: () => url,
    ...setup.options,
  };
  let grpc: GrpcServer | undefined;
  const grpcAddress = () => grpc && `127.0.0.1:${grpc.port}`;
  const edge = createEdge({ ...options, grpcAddress });
  const more: GrpcServer[] = [];
  const grpcOptions = { edge, credentials: options.credentials, host: '127.0.0.1', port: 0 };
  if (setup.grpc === true) grpc = await startGrpc(grpcOptions);
  const { watch, found } = watchForLeaks([SECRET, dataDir, connection]);
  app.use(watch, a2aRouter(options, edge));
  const workers =
    setup.works === false
      ? []
      : [
          queues.work(
            RUN_QUEUE,
            async ({ data }, signal) => {
              await runtime.execute(data, signal);
              return undefined;
            },
            { concurrency: 8 },
          ),
          webhooks.start({ concurrency: 4 }),
        ];
  return {
    url,
    grpcAddress: grpcAddress() ?? '',
    runtime,
    runs,
    deliveries: store.collection(Deliveries),
    shared: { dataDir, prefix },
    openStreams: () => edge.calls.streams(),
    async newKey(scopes, organization_id = organizationId(randomUUID())) {
      const made = await createApiKey(
        { keys, clock, ids, security: noSecurityLog },
        { organization_id, name: 'test', ...(scopes && { scopes }) },
      );
      return made.raw;
    },
    async revokeKeys(organization_id) {
      const { rows } = await keys.find({ where: { organization_id }, limit: 100 });
      for (const { api_key_id } of rows) {
        await revokeApiKey({ keys, clock, security: noSecurityLog }, organization_id, api_key_id);
      }
    },
    stopGrpc: (graceMs) => grpc?.stop(graceMs) ?? Promise.resolve(),
    async openGrpc(given) {
      const server = await startGrpc({ ...grpcOptions, ...given });
      more.push(server);
      return server;
    },
    async close() {
      for (const server of [...more, ...(grpc === undefined ? [] : [grpc])]) await server.stop(100);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await Promise.all(workers.map((worker) => worker.close(1000)));
      runtime.close();
      await credentials.idle();
      await Promise.all([queues.close(), changeSignal.close(), outbound.close()]);
      await store.close();
      if (setup.shared === undefined) await rm(dataDir, { recursive: true, force: true });
      if (found.length > 0) throw new Error(`answers held something internal: ${found.join(' ')}`);
    },
  };
}
