import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { randomIds, toTimestamp } from '../../../src/platform/clock.ts';
import { createEmbeddedStore } from '../../../src/platform/store/sqlite/collection-embedded.ts';
import type { Collection, Store } from '../../../src/platform/store/collection.ts';
import { protocolNames } from '../../../src/platform/protocol-name.ts';
import { createQueues } from '../../../src/platform/queue/queue-bullmq.ts';
import type { Queues } from '../../../src/platform/queue/queue.ts';
import { sealer } from '../../../src/platform/crypto/sealer.ts';
import { newRun } from '../../../src/runtime/new-run.ts';
import { TaskRuns } from '../../../src/runtime/task-run.ts';
import type { TaskRun } from '../../../src/runtime/task-run.ts';
import { Deliveries } from '../../../src/webhooks/delivery/delivery.ts';
import type { Delivery } from '../../../src/webhooks/delivery/delivery.ts';
import { deliveryQueues } from '../../../src/webhooks/delivery/lanes.ts';
import type { DeliveryQueues } from '../../../src/webhooks/delivery/lanes.ts';
import { attemptJob } from '../../../src/webhooks/delivery/queue-deliveries.ts';
import { createWebhooks } from '../../../src/webhooks/webhooks.ts';
import type { Webhooks, WebhooksDependencies } from '../../../src/webhooks/webhooks.ts';
import { organizationId, taskId } from '../../support/ids.ts';
import { patientOutbound } from '../../support/patient-outbound.ts';

/** A clock that stands still until it is told how much time has passed. */
export interface ManualClock {
  now(): number;
  advance(ms: number): void;
}

export interface Sender {
  webhooks: Webhooks;
  store: Store;
  queues: Queues;
  lanes: DeliveryQueues;
  clock: ManualClock;
  deliveries: Collection<Delivery>;
  runs: Collection<TaskRun>;
  /** What the sender was made of, to make another one of. */
  dependencies: WebhooksDependencies;
  /** Every line logged so far. */
  logged: string[];
  /** The deliveries of a task, in order of their events, and of those who hear of one by the registration's id. */
  deliveriesOf(task_id: string): Promise<Delivery[]>;
  /** The only delivery of a task. */
  deliveryOf(task_id: string): Promise<Delivery>;
  runOf(task_id: string): Promise<TaskRun>;
  /** Makes the owed attempt of a delivery now, as a worker would. Answers the row after it. */
  attempt(delivery: Delivery, signal?: AbortSignal): Promise<Delivery>;
  /** Lets time pass until the next attempt is due, then makes it. */
  attemptWhenDue(delivery: Delivery): Promise<Delivery>;
  close(): Promise<void>;
}

export const NAMES = protocolNames();
export const SECRET = 'a sealing secret of the tests, long enough';

/** The real sender over a store file, the run's Redis and loopback HTTP, on a clock of its own. */
export async function openSender(options: Partial<WebhooksDependencies> = {}): Promise<Sender> {
  const dir = await mkdtemp(join(tmpdir(), 'mba-webhooks-'));
  const clock = manualClock();
  const logged: string[] = [];
  const log = pino({ level: 'debug' }, intoList(logged));
  const store = options.store ?? createEmbeddedStore({ file: join(dir, 'store.db'), logger: log, clock });
  const queues = createQueues({
    connection: process.env['REDIS_TEST_URL'] ?? '',
    prefix: `t-${randomUUID()}`,
    logger: log,
  });
  const outbound = patientOutbound({ allowLoopback: true });
  const dependencies: WebhooksDependencies = {
    store,
    queues,
    outbound,
    clock,
    ids: randomIds,
    log,
    sealer: sealer(SECRET),
    names: NAMES,
    identity: { publicBaseUrl: 'https://seller.example', name: 'Seller' },
    allowLoopback: true,
    allowLegacyBearer: false,
    random: () => 0,
    ...options,
  };
  const webhooks = createWebhooks(dependencies);
  await store.prepare();
  const deliveries = store.collection(Deliveries);
  const runs = store.collection(TaskRuns);

  const sender: Sender = {
    webhooks,
    store,
    queues,
    lanes: deliveryQueues(queues),
    clock,
    deliveries,
    runs,
    dependencies,
    logged,
    async deliveriesOf(task_id) {
      const { rows } = await deliveries.find({ where: { task_id }, sort: { field: 'task_id', direction: 'asc' } });
      const place = ({ sequence, registration_id }: Delivery) =>
        `${String(sequence).padStart(6, '0')} ${registration_id}`;
      return rows.sort((a, b) => (place(a) < place(b) ? -1 : 1));
    },
    async deliveryOf(task_id) {
      const rows = await sender.deliveriesOf(task_id);
      if (rows.length !== 1 || rows[0] === undefined) throw new Error(`${rows.length} deliveries, not one`);
      return rows[0];
    },
    async runOf(task_id) {
      const run = await runs.get(task_id);
      if (run === undefined) throw new Error(`task ${task_id} is gone`);
      return run;
    },
    async attempt({ delivery_id }, signal = new AbortController().signal) {
      const row = await present(deliveries, delivery_id);
      await webhooks.attempt(attemptJob(row).data, signal);
      return present(deliveries, delivery_id);
    },
    async attemptWhenDue(delivery) {
      const row = await present(deliveries, delivery.delivery_id);
      if (row.next_attempt_at !== null) clock.advance(Math.max(0, Date.parse(row.next_attempt_at) - clock.now()));
      return sender.attempt(row);
    },
    async close() {
      await queues.close();
      await outbound.close();
      await store.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
  return sender;
}

export function manualClock(): ManualClock {
  let now = Date.now();
  return {
    now: () => now,
    advance(ms) {
      now += ms;
    },
  };
}

function intoList(lines: string[]): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString('utf8'));
      done();
    },
  });
}

async function present(deliveries: Collection<Delivery>, delivery_id: string): Promise<Delivery> {
  const row = await deliveries.get(delivery_id);
  if (row === undefined) throw new Error(`delivery ${delivery_id} is gone`);
  return row;
}

/** A stored task that waits for news, with one registration unless others are given. */
export async function storedRun(
  sender: Sender,
  registrations: TaskRun['registrations'],
  changes: Partial<TaskRun> = {},
): Promise<TaskRun> {
  const timestamp = toTimestamp(sender.clock.now());
  const run = newRun({
    task_id: taskId(randomUUID()),
    organization_id: organizationId('buyer'),
    principal_id: 'key-1',
    task_type: 'create_media_buy',
    context_id: randomUUID(),
    message_key: randomUUID(),
    request_hash: '0',
    registrations,
    events: [{ kind: 'status', sequence: 1, state: 'submitted', timestamp, message: 'submitted' }],
    created_at: timestamp,
    ...changes,
  });
  await sender.runs.insert(run);
  return run;
}

/** The run after these further statuses. */
export function withStatuses(
  run: TaskRun,
  ...statuses: { state: TaskRun['state']; message?: string; data?: unknown }[]
): TaskRun {
  const events = statuses.map(({ state, message = state, data }, place) => ({
    kind: 'status' as const,
    sequence: run.events.length + place + 1,
    state,
    timestamp: run.updated_at,
    message,
    ...(data !== undefined && { data }),
  }));
  return { ...run, state: statuses.at(-1)?.state ?? run.state, events: [...run.events, ...events] };
}
