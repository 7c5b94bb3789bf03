import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { Core } from '../src/main/wiring/compose.ts';
import { toTimestamp } from '../src/platform/clock.ts';
import { apiKeys, hashApiKey } from '../src/directory/api-key/api-key.ts';
import { membershipId, memberships } from '../src/directory/membership/membership.ts';
import { newOrganization, organizations } from '../src/directory/organization/organization.ts';
import { DAY_MS, HOUR_MS } from '../src/platform/hours.ts';
import type { Collection, Row } from '../src/platform/store/collection.ts';
import { newRun } from '../src/runtime/new-run.ts';
import { TaskRuns } from '../src/runtime/task-run.ts';
import type { TaskRun } from '../src/runtime/task-run.ts';
import type { MediaBuy } from '../src/sales/media-buy/media-buy.ts';
import { Deliveries } from '../src/webhooks/delivery/delivery.ts';
import type { Delivery } from '../src/webhooks/delivery/delivery.ts';
import { recordDelivery } from '../test/sales/support/record-delivery.ts';
import { sampleMediaBuy } from '../test/sales/support/sample-media-buy.ts';
import { mediaBuyId, organizationId, taskId } from '../test/support/ids.ts';

const ORGANIZATION = organizationId('org_demo_buyer');
const PACKAGES = 3;
const DAYS = 365;

/** Adds tasks that are over, and the buys that they made, `from` to `to`, all of one buyer. A story's rows and about their size. */
export async function seedStories({ store, sales }: Core, from: number, to: number): Promise<void> {
  const runs = store.collection(TaskRuns);
  const startMs = Date.now() - 20 * DAY_MS;
  for (let first = from; first < to; first += 500) {
    const numbers = Array.from({ length: Math.min(500, to - first) }, (_, i) => first + i);
    const at = (n: number) => toTimestamp(startMs + n * 1_000);
    await insertAll(
      runs,
      numbers.map((n) => run(n, at(n))),
    );
    await insertAll(
      sales.mediaBuys,
      numbers.map((n) => buy(n, at(n))),
    );
  }
}

/** Adds webhooks that are over, of those tasks, one in a thousand of them given up. */
export async function seedDeliveries({ store }: Core, most: number): Promise<void> {
  const deliveries = store.collection(Deliveries);
  const startMs = Date.now() - 20 * DAY_MS;
  for (let first = 0; first < most; first += 500) {
    const numbers = Array.from({ length: Math.min(500, most - first) }, (_, i) => first + i);
    await insertAll(
      deliveries,
      numbers.map((n) => delivery(n, toTimestamp(startMs + n * 1_000))),
    );
  }
}

/** What each of many has: more than a list counts of anything. */
const EACH = 120;

/** Adds buyers with people, keys, media buys that are not over, and tasks of today that were rejected: what the list of buyers counts. */
export async function seedBuyers({ store, sales }: Core, most: number): Promise<void> {
  const at = toTimestamp(Date.now() - HOUR_MS);
  const numbers = Array.from({ length: EACH }, (_, i) => i);
  for (let n = 0; n < most; n++) {
    const organization_id = organizationId(`org_buyer_${n}`);
    const name = (i: number) => `buyer-${n}-${i}`;
    const given = { organization_id, name: `Buyer ${n}`, state: 'active', created_at: at } as const;
    await insertAll(store.collection(organizations), [newOrganization(given)]);
    await insertAll(
      store.collection(memberships),
      numbers.map((i) => ({
        ...{ membership_id: membershipId(organization_id, name(i)), organization_id, user_id: name(i) },
        ...{ role: 'member' as const, created_at: at, revision: 1 },
      })),
    );
    await insertAll(
      store.collection(apiKeys),
      numbers.map((i) => ({
        ...{ api_key_id: `key_${name(i)}`, key_hash: hashApiKey(name(i)), key_hint: '....', organization_id },
        ...{ name: name(i), scopes: [], created_at: at, last_used_at: at, revoked_at: null, expires_at: null },
        revision: 1,
      })),
    );
    const ofTheirs = (i: number) => ({ organization_id, task_id: taskId(name(i)) });
    await insertAll(
      sales.mediaBuys,
      numbers.map((i) => ({
        ...{ ...buy(1, at), ...ofTheirs(i), media_buy_id: mediaBuyId(`mb_${name(i)}`), buyer_ref: name(i) },
      })),
    );
    await insertAll(
      store.collection(TaskRuns),
      numbers.map((i) => ({ ...run(i, at), ...ofTheirs(i), state: 'rejected' as const })),
    );
  }
}

/** Adds webhooks of today to receivers for each of which one waits: what the list of receivers looks at. */
export async function seedReceivers({ store }: Core, most: number): Promise<void> {
  const deliveries = store.collection(Deliveries);
  for (let n = 0; n < most; n++) {
    const destination = `https://today-${n}.example`;
    const rows = Array.from({ length: EACH }, (_, i) => ({
      ...delivery(i, toTimestamp(Date.now() - HOUR_MS + i)),
      ...{ delivery_id: `today-${n}-${i}`, url: `${destination}/hooks`, destination },
      ...(i === 0 && { state: 'pending' as const, next_attempt_at: toTimestamp(Date.now() + DAY_MS) }),
    }));
    await insertAll(deliveries, rows);
  }
}

async function insertAll<R extends Row>(rows: Collection<R>, all: readonly R[]): Promise<void> {
  const inserted = await rows.insertMany(all);
  if (inserted !== all.length) throw new Error(`${all.length - inserted} rows of ${rows.spec.name} did not go in`);
}

export function idOf(n: number): string {
  return `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
}

function run(n: number, at: string): TaskRun {
  const packages = Array.from({ length: PACKAGES }, (_, p) => ({
    ...{ product_id: `podcast_network_dynamic_${p}`, pricing_option_id: 'podcast_fixed_usd', budget: 45_000 },
    ...{ targeting_overlay: { geo_countries: ['US'], audience: 'x'.repeat(200) }, creative_ids: [`c${n}`, `d${n}`] },
  }));
  const input = {
    buyer_ref: `story-${n}`,
    brand_manifest: { name: 'Acme Outdoor', url: 'https://acme.example' },
    packages,
  };
  const states = ['submitted', 'working', 'completed'] as const;
  const events = states.map((state, i) => ({
    ...{ kind: 'status' as const, sequence: i + 1, state, timestamp: at, message: `the media buy is ${state}` },
    ...(state === 'completed' && { data: { media_buy_id: `mb_${n}`, packages } }),
  }));
  return newRun({
    ...{
      task_id: taskId(idOf(n)),
      organization_id: ORGANIZATION,
      principal_id: 'bench',
      task_type: 'create_media_buy',
    },
    ...{ context_id: `context-${Math.floor(n / 8)}`, message_key: randomUUID(), created_at: at, input, events },
    // One in a thousand of each, for the filters by what is rare.
    state: n % 1_000 === 7 ? 'failed' : 'completed',
    ...{ notified_sequence: 3, expires_at: toTimestamp(Date.now() + 30 * DAY_MS) },
    messages: [],
  });
}

function delivery(n: number, at: string): Delivery {
  const url = `https://receiver-${n % 50}.example/hooks`;
  const hasFailed = n % 1_000 === 7;
  return {
    ...{ delivery_id: idOf(n), revision: 2, idempotency_key: randomUUID(), organization_id: ORGANIZATION },
    ...{
      task_id: idOf(n),
      task_type: 'create_media_buy',
      subject_id: mediaBuyId(`mb_${n}`),
      sequence: 3,
      event: 'completed',
    },
    ...{ registration_id: `registration-${n}`, url, destination: new URL(url).origin, mode: 'rfc9421' as const },
    ...{
      body: JSON.stringify({ task_id: idOf(n), status: 'completed', result: 'x'.repeat(1_500) }),
      is_body_sealed: false,
    },
    state: hasFailed ? 'exhausted' : 'delivered',
    attempts: [
      {
        ...({ attempt: 1, started_at: at, status: hasFailed ? 'failed' : 'success' } as const),
        http_status_code: hasFailed ? 500 : 204,
      },
    ],
    ...{ next_attempt_at: null, created_at: at, updated_at: at, expires_at: toTimestamp(Date.now() + 30 * DAY_MS) },
  };
}

function buy(n: number, created_at: string): MediaBuy {
  const sample = sampleMediaBuy();
  return {
    ...sample,
    ...{ media_buy_id: mediaBuyId(`mb_${n}`), organization_id: ORGANIZATION, task_id: taskId(idOf(n)) },
    ...{ buyer_ref: `story-${n}`, open: n % 10 !== 0, status: n % 10 === 0 ? 'completed' : 'active' },
    ...{ created_at, updated_at: created_at },
  };
}

/** A year's delivery, hour by hour, of the first buy. */
export async function seedYear({ sales }: Core): Promise<{ media_buy_id: string; start: string; end: string }> {
  const media_buy_id = mediaBuyId('mb_1');
  const untilMs = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const fromMs = untilMs - DAYS * DAY_MS;
  const ids = sampleMediaBuy().packages.map(({ package_id }) => package_id);
  for (let dayMs = fromMs; dayMs < untilMs; dayMs += DAY_MS) {
    const hours = ids.flatMap((package_id) =>
      Array.from({ length: 24 }, (_, hour) => ({
        ...{ package_id, hour: toTimestamp(dayMs + hour * HOUR_MS) },
        ...{ impressions: 1_000 + hour, spend_minor: 650 + hour, clicks: hour },
      })),
    );
    await recordDelivery(sales.facts, media_buy_id, { hours, corrections: [] }, toTimestamp(untilMs));
  }
  return { media_buy_id, start: toTimestamp(fromMs), end: toTimestamp(untilMs) };
}

/** The longest that the event loop was held up since, in milliseconds. */
export function watchLoop(): () => number {
  let last = performance.now();
  let longest = 0;
  const look = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last - EVERY_MS);
    last = now;
  };
  const timer = setInterval(look, EVERY_MS);
  return () => {
    look();
    clearInterval(timer);
    return longest;
  };
}

const EVERY_MS = 2;
