import { randomUUID } from 'node:crypto';
import { officialSchemas } from '#adcp-buyer/validator';
import { post } from '../../journeys/support/buyer.ts';
import type { AgentAt, Json } from '../../journeys/support/buyer.ts';

/** The official schemas of each release: one set serves all files of a process. */
export const OFFICIAL = {
  '3.0': officialSchemas(new URL('../../adcp-schemas/3.0.json.gz', import.meta.url)),
  '3.1': officialSchemas(new URL('../../adcp-schemas/3.1.json.gz', import.meta.url)),
  '3.2': officialSchemas(new URL('../../adcp-schemas/3.2.json.gz', import.meta.url)),
};
/** The releases that are spoken. */
export const RELEASES = ['3.0', '3.1', '3.2'] as const;
export type Release = (typeof RELEASES)[number];

/** Where the schema of each task's answer is, by release where that differs. */
const ANSWERS: Record<string, string | { '3.0': string; later: string }> = {
  get_adcp_capabilities: 'protocol/get-adcp-capabilities-response.json',
  get_products: 'media-buy/get-products-response.json',
  list_creative_formats: 'media-buy/list-creative-formats-response.json',
  get_task_status: { '3.0': 'core/tasks-get-response.json', later: 'protocol/get-task-status-response.json' },
  create_media_buy: 'media-buy/create-media-buy-response.json',
  update_media_buy: 'media-buy/update-media-buy-response.json',
  control_media_buy: 'media-buy/control-media-buy-response.json',
  list_products: 'media-buy/list-products-response.json',
  buy_products: 'media-buy/buy-products-response.json',
  get_media_buys: 'media-buy/get-media-buys-response.json',
  get_media_buy_delivery: 'media-buy/get-media-buy-delivery-response.json',
  provide_performance_feedback: 'media-buy/provide-performance-feedback-response.json',
  sync_creatives: 'creative/sync-creatives-response.json',
  list_creatives: 'creative/list-creatives-response.json',
  sync_accounts: 'account/sync-accounts-response.json',
  sync_governance: 'account/sync-governance-response.json',
  comply_test_controller: 'compliance/comply-test-controller-response.json',
  list_accounts: 'account/list-accounts-response.json',
  'tasks/get': 'core/tasks-get-response.json',
  list_tasks: { '3.0': 'core/tasks-list-response.json', later: 'protocol/list-tasks-response.json' },
};

/** Tasks whose answers' schemas are closed and leave out the copy of an error for clients, which stands in the envelope of others. */
const CLOSED = new Set(['control_media_buy', 'buy_products', 'list_products']);

/** What the official schemas find wrong with an answer of a task in a release; empty: nothing. */
export function schemaErrors(skill: string, release: Release, answer: unknown): string[] {
  const found = ANSWERS[skill];
  if (found === undefined) throw new Error(`no schema is known for ${skill}`);
  const { adcp_error: _error, ...payload } = answer as Json;
  const body = CLOSED.has(skill) ? payload : answer;
  return OFFICIAL[release](typeof found === 'string' ? found : found[release === '3.0' ? release : 'later'], body);
}

/** What the official schemas find wrong with the envelope of a webhook and what is in it. */
export function webhookErrors(release: Release, body: unknown): string[] {
  return OFFICIAL[release]('core/mcp-webhook-payload.json', body);
}

/** What the official schemas find wrong with a webhook that tells of an account. */
export function accountWebhookErrors(release: '3.1' | '3.2', body: Json): string[] {
  const schema =
    body['notification_type'] === 'account.status_changed'
      ? 'core/account-status-changed-webhook.json'
      : 'creative/creative-status-changed-webhook.json';
  return OFFICIAL[release](schema, body);
}

/** A task as A2A 1.0 shows it. */
export interface ShownTask {
  id: string;
  contextId: string;
  status: { state: string };
  artifacts: { parts: { text?: string; data?: Json }[] }[];
  metadata: Json;
}

/** Calls a public task over A2A 1.0, as the client for Python does. @throws where that is refused by the wire. */
export async function callPublic(at: AgentAt, skill: string, parameters: Json, more: Json = {}): Promise<ShownTask> {
  const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ data: { skill, parameters } }], ...more };
  const answer = await post(at, { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } });
  const task = answer.result?.['task'];
  if (task === undefined) throw new Error(JSON.stringify(answer));
  return task as ShownTask;
}

/** What a task was answered. */
export function bodyOf({ artifacts }: ShownTask): Json {
  const data = artifacts[0]?.parts.find((part) => part.data !== undefined)?.data;
  if (data === undefined) throw new Error('the task carries no payload');
  return data;
}
