import { AppError } from '../../../src/platform/errors.ts';
import type { Core } from '../../../src/main/wiring/compose.ts';
import type { TaskId } from '../../../src/platform/task-id.ts';
import { currentStatus } from '../../../src/runtime/task-run.ts';
import type { MediaBuy } from '../../../src/sales/media-buy/media-buy.ts';
import { mediaBuyIdOf } from '../../../src/tasks/create-media-buy/new-media-buy.ts';
import { BUYER } from '../../tasks/support/calls.ts';
import type { Json } from '../../tasks/support/calls.ts';
import { checkReading } from './readings.ts';
import { createInput, syncInput, updateInput } from './requests.ts';
import type { Sender } from './requests.ts';
import type { BuyerStep, Reading } from './step.ts';

/** One request of a walk, with every task that it came to: the same request may be sent again. */
export interface AskedFor {
  task_type: 'create_media_buy' | 'update_media_buy' | 'sync_creatives';
  input: Json;
  /** Oldest first; none where it was refused at once. */
  task_ids: TaskId[];
}

/** A buyer, and what they have asked for. */
export interface Buyer {
  core: Pick<Core, 'runtime'>;
  sender: () => Sender;
  /** The row of a buy as it was last seen. */
  rowOf: (media_buy_id: string) => MediaBuy | undefined;
  /** By ordinal: of buys, and of all requests. */
  buys: AskedFor[];
  asked: AskedFor[];
}

/** Carries out a step of the buyer's; answers what became of it, in words. */
export async function takeBuyerStep(buyer: Buyer, step: BuyerStep): Promise<string> {
  const { buys, asked } = buyer;
  const n = asked.length;
  switch (step.do) {
    case 'create': {
      const input = createInput(step, buys.length, buyer.sender());
      const request: AskedFor = { task_type: 'create_media_buy', input: withKey(input, n), task_ids: [] };
      buys.push(request);
      asked.push(request);
      return submit(buyer, request);
    }
    case 'update': {
      const buy = buyOf(buyer, step.buy);
      const input = buy === undefined ? {} : updateInput(step, buy, buyer.sender());
      const request: AskedFor = { task_type: 'update_media_buy', input: withKey(input, n), task_ids: [] };
      asked.push(request);
      return buy === undefined ? 'there is no such buy' : submit(buyer, request);
    }
    case 'sync': {
      const buy = step.buy === null ? undefined : buyOf(buyer, step.buy);
      const input = syncInput(step, buy, buyer.sender());
      const request: AskedFor = { task_type: 'sync_creatives', input: withKey(input, n), task_ids: [] };
      asked.push(request);
      return submit(buyer, request);
    }
    case 'ask_again': {
      const request = asked[step.asked];
      return request === undefined || Object.keys(request.input).length < 2 ? 'nothing' : submit(buyer, request);
    }
    case 'cancel_task': {
      const task_id = asked[step.asked]?.task_ids.at(-1);
      if (task_id === undefined) return 'there is no such task';
      return refusable(async () => `is ${(await buyer.core.runtime.cancel(BUYER, task_id)).state}`);
    }
    case 'read':
      return read(buyer, step.what, buyOf(buyer, step.buy));
  }
}

function withKey(input: Json, n: number): Json {
  return { ...input, idempotency_key: `walk-request-${String(n).padStart(6, '0')}` };
}

/** The buy that was asked for as the n-th; undefined where it was refused, or is not made yet. */
export function buyOf({ buys, rowOf }: Pick<Buyer, 'buys' | 'rowOf'>, n: number): MediaBuy | undefined {
  const task_id = buys[n]?.task_ids[0];
  return task_id === undefined ? undefined : rowOf(mediaBuyIdOf(task_id));
}

function submit({ core }: Buyer, { task_type, input, task_ids }: AskedFor): Promise<string> {
  return refusable(async () => {
    const { run, replayed } = await core.runtime.submit({ caller: BUYER, task_type, input });
    if (!task_ids.includes(run.task_id)) task_ids.push(run.task_id);
    return `${replayed ? 'again' : 'is'} ${run.task_id.slice(0, 8)}, ${run.state}`;
  });
}

async function read(buyer: Buyer, task_type: Reading, buy: MediaBuy | undefined): Promise<string> {
  const ofBuy: Partial<Record<Reading, Json>> = {
    get_media_buys: { media_buy_ids: [buy?.media_buy_id] },
    get_media_buy_delivery: { media_buy_id: buy?.media_buy_id, granularity: 'hourly' },
    get_products: { brief: 'news readers in New York' },
  };
  if (buy === undefined && task_type.startsWith('get_media_buy')) return 'there is no such buy';
  return refusable(async () => {
    const { run } = await buyer.core.runtime.submit({ caller: BUYER, task_type, input: ofBuy[task_type] ?? {} });
    checkReading(task_type, currentStatus(run).data as Json);
    return 'answered';
  });
}

/** What an answer that is a refusal says. */
export async function refusable(ask: () => Promise<string>): Promise<string> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof AppError) return `refused ${error.code}: ${error.message.slice(0, 120)}`;
    throw error;
  }
}
