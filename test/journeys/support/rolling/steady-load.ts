import { randomUUID } from 'node:crypto';
import { until } from '../../../support/until.ts';
import { post, responseIn, taskOf } from '../buyer.ts';
import type { AgentAt, Json, RpcAnswer } from '../buyer.ts';
import { ADDED, createInput } from '../outage/campaigns.ts';

/** Buyers that ask, each one request after the other. */
const BUYERS = 4;

/** A media buy that was asked for, and raised once. */
export interface Bought {
  buyer_ref: string;
  media_buy_id: string;
  /** Of its creation and of its raise. */
  task_ids: string[];
}

export interface SteadyLoad {
  bought: readonly Bought[];
  /** Resolves when so many more media buys are made and raised; rejects with the first request that was refused or failed. */
  more(count: number): Promise<void>;
  /** Ends after what is under way. @throws as `more`. */
  stop(): Promise<void>;
}

/**
 * Buyers that make media buys and raise them, with webhooks, now waiting for the answer and now looking again and again. Nothing is asked
 * twice: whatever goes wrong, goes wrong.
 */
export function startLoad(agent: AgentAt, webhookUrl: string): SteadyLoad {
  const bought: Bought[] = [];
  const push_notification_config = { url: webhookUrl, operation_id: 'rolling' };
  let isStopping = false;
  const hasStopped = () => isStopping;

  async function call(method: string, params: Json): Promise<RpcAnswer> {
    const answer = await post(agent, { jsonrpc: '2.0', id: 1, method, params });
    if (answer.status !== 200 || answer.error !== undefined)
      throw new Error(`${method} is answered ${answer.status}: ${JSON.stringify(answer)}`);
    return answer;
  }

  /** @returns the task's id and its response, however the server has it told. */
  async function done(skill: string, input: Json, returnImmediately: boolean): Promise<[id: string, Json]> {
    const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ data: { skill, input } }] };
    const sent = await call('SendMessage', { message, configuration: { returnImmediately } });
    const { id } = taskOf(sent);
    const last = await until(async () => {
      const read = taskOf(sent).state === 'TASK_STATE_COMPLETED' ? sent : await call('GetTask', { id });
      if (/FAILED|REJECTED|CANCELED/.test(taskOf(read).state)) throw new Error(JSON.stringify(read));
      return taskOf(read).state === 'TASK_STATE_COMPLETED' && read;
    });
    return [id, responseIn(last)];
  }

  async function buy(isPatient: boolean): Promise<void> {
    const input: Json = { ...createInput(), idempotency_key: randomUUID(), push_notification_config };
    const [created, { media_buy_id }] = await done('create_media_buy', input, !isPatient);
    const updates = { budget_change: ADDED };
    const raise = { media_buy_id, updates, idempotency_key: randomUUID(), push_notification_config };
    const [raised] = await done('update_media_buy', raise, isPatient);
    bought.push({
      ...{ buyer_ref: String(input['buyer_ref']), media_buy_id: String(media_buy_id) },
      task_ids: [created, raised],
    });
  }

  const buyers = Array.from({ length: BUYERS }, async (_, n) => {
    for (let turn = n; !hasStopped(); turn++) await buy(turn % 2 === 0);
  });
  const failed = Promise.all(buyers).then(() => new Promise<never>(() => undefined));
  failed.catch(() => undefined);
  return {
    bought,
    async more(count) {
      const goal = bought.length + count;
      await Promise.race([until(() => bought.length >= goal), failed]);
    },
    async stop() {
      isStopping = true;
      await Promise.all(buyers);
    },
  };
}
