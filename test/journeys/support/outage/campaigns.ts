import { randomUUID } from 'node:crypto';
import { eachAtOnce } from '../../../../src/platform/each-at-once.ts';
import { until } from '../../../support/until.ts';
import { ask, send, taskOf } from '../buyer.ts';
import type { AgentAt, Json } from '../buyer.ts';

/** Requests on their way at once. */
export const AT_ONCE = 4;

const DAY_MS = 86_400_000;
/** Of each buy, of its one package, in US dollars. */
export const BUDGET = 5000;
export const ADDED = 100;
const TAKEN = 500;

export type AskedKind = 'create' | 'raise' | 'cut' | 'pause';

/** What was asked for while the ad server was away. */
export interface Asked {
  kind: AskedKind;
  skill: 'create_media_buy' | 'update_media_buy';
  input: Json;
  task_id: string;
  /** Of what was there before. */
  media_buy_id: string | undefined;
}

/** What an order is to be at the end. */
export interface ToBe {
  state: 'running' | 'paused';
  budget_minor: number;
}

/** Buys that run before the outage: as many as `sizes` says for each kind of change; half of the pauses hit buys that are raised. */
export interface Running {
  raises: string[];
  cuts: string[];
  pauses: string[];
  /** All of them, each once. */
  all: string[];
}

export async function makeRunning(agent: AgentAt, changes: number): Promise<Running> {
  const format_id = { agent_url: agent.baseUrl, id: 'display_300x250' };
  const assets = { image: { url: 'https://cdn.acme.example/trail.png', width: 300, height: 250 } };
  await ask(agent, 'sync_creatives', {
    creatives: [{ creative_id: 'banner', name: 'Banner', format_id, assets }],
  });
  await until(async () => {
    const { creatives } = (await ask(agent, 'list_creatives', {})) as { creatives: { status: string }[] };
    return creatives.every(({ status }) => status === 'approved');
  });
  const all: string[] = [];
  const half = Math.floor(changes / 2);
  await eachAtOnce(
    Array.from({ length: 3 * changes - half }, (_, n) => n),
    AT_ONCE,
    async () => {
      const { media_buy_id, status, pending_reason } = await ask(agent, 'create_media_buy', createInput());
      if (status !== 'active') throw new Error(`a new buy is ${String(status)}: ${String(pending_reason)}`);
      all.push(String(media_buy_id));
    },
  );
  const raises = all.slice(0, changes);
  const pauses = [...raises.slice(0, half), ...all.slice(2 * changes)];
  return { raises, cuts: all.slice(changes, 2 * changes), pauses, all };
}

/** Everything that is asked for during the outage, in the order of kinds. */
export function requestsFor({ raises, cuts, pauses }: Running, creates: number, url: string): Omit<Asked, 'task_id'>[] {
  const push_notification_config = { url, operation_id: 'outage' };
  const update = (kind: AskedKind, updates: Json) => (media_buy_id: string) => {
    const input = { media_buy_id, updates, idempotency_key: randomUUID(), push_notification_config };
    return { kind, skill: 'update_media_buy' as const, input, media_buy_id };
  };
  return [
    ...Array.from({ length: creates }, () => ({
      ...{ kind: 'create' as const, skill: 'create_media_buy' as const, media_buy_id: undefined },
      input: { ...createInput(), idempotency_key: randomUUID(), push_notification_config },
    })),
    ...raises.map(update('raise', { budget_change: ADDED })),
    ...cuts.map(update('cut', { budget_change: -TAKEN })),
    ...pauses.map(update('pause', { status: 'paused' })),
  ];
}

/** Sends what is asked for; again under the same key, it must be the same task. */
export async function sendAll(agent: AgentAt, requests: readonly Omit<Asked, 'task_id'>[]): Promise<Asked[]> {
  const asked: Asked[] = [];
  await eachAtOnce(requests, AT_ONCE, async (request) => {
    const { id: task_id } = taskOf(await send(agent, request.skill, request.input));
    asked.push({ ...request, task_id });
  });
  return asked;
}

export function toBe({ raises, cuts, pauses }: Running, media_buy_id: string): ToBe {
  const change = raises.includes(media_buy_id) ? ADDED : cuts.includes(media_buy_id) ? -TAKEN : 0;
  return { state: pauses.includes(media_buy_id) ? 'paused' : 'running', budget_minor: (BUDGET + change) * 100 };
}

/** A request for another buy, which may run at once. */
export function createInput(): Json {
  return {
    buyer_ref: `campaign-${randomUUID()}`,
    brand_manifest: { name: 'Acme Outdoor', url: 'https://acme-outdoor.example' },
    packages: [
      {
        ...{ product_id: 'gazette_run_of_site', pricing_option_id: 'ros_fixed_usd', budget: BUDGET },
        creative_ids: ['banner'],
      },
    ],
    start_time: 'asap',
    end_time: new Date(Date.now() + 20 * DAY_MS).toISOString(),
  };
}
