import { rpcClient } from './rpc.ts';
import type { WireMessage, WireTask } from './rpc.ts';
import { allEvents } from './sse.ts';

const V1 = { 'A2A-Version': '1.0' };
export type Binding = 'JSONRPC' | 'HTTP+JSON';
export type Sent = { task: WireTask; message: WireMessage };

export function rpcBody(method: string, params: object) {
  return { jsonrpc: '2.0', id: 1, method, params };
}

/** What the conformance kits ask for, over either binding of 1.0. */
export function kitClient(base: () => string) {
  function post(path: string, body: object, headers: Record<string, string> = V1): Promise<Response> {
    const options = { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers } };
    return fetch(base() + path, { ...options, body: JSON.stringify(body) });
  }

  async function send10(binding: Binding, params: object, headers: Record<string, string> = {}): Promise<Sent> {
    const all = { ...V1, ...headers };
    if (binding === 'HTTP+JSON') return (await (await post('/a2a/rest/message:send', params, all)).json()) as Sent;
    const answer = (await (await post('/a2a/jsonrpc', rpcBody('SendMessage', params), all)).json()) as { result: Sent };
    return answer.result;
  }

  /** The code of JSON-RPC or the status of HTTP. */
  async function refusal10(binding: Binding, params: object): Promise<number> {
    if (binding === 'HTTP+JSON') return (await post('/a2a/rest/message:send', params)).status;
    return (await rpcClient(base(), 'none', '1.0').call('SendMessage', params)).error.code;
  }

  async function getTask10(binding: Binding, id: string, historyLength?: number): Promise<WireTask> {
    const length = historyLength === undefined ? {} : { historyLength };
    if (binding === 'JSONRPC')
      return (await rpcClient(base(), 'none', '1.0').call('GetTask', { id, ...length })).result;
    const query = historyLength === undefined ? '' : `?historyLength=${historyLength}`;
    return (await (await fetch(`${base()}/a2a/rest/tasks/${id}${query}`, { headers: V1 })).json()) as WireTask;
  }

  function stream10(binding: Binding, params: object): Promise<Response> {
    return binding === 'JSONRPC'
      ? post('/a2a/jsonrpc', rpcBody('SendStreamingMessage', params))
      : post('/a2a/rest/message:stream', params);
  }

  function subscribe10(binding: Binding, id: string): Promise<Response> {
    return binding === 'JSONRPC'
      ? post('/a2a/jsonrpc', rpcBody('SubscribeToTask', { id }))
      : post(`/a2a/rest/tasks/${id}:subscribe`, {});
  }

  async function kindsOf(stream: Promise<Response>): Promise<(string | undefined)[]> {
    const events = (await allEvents(await stream)).map(({ data }) => data as { result?: object });
    return events.map((event) => Object.keys(event.result ?? event)[0]);
  }

  function config10(
    binding: Binding,
    method: 'Create' | 'Get' | 'Delete',
    taskId: string,
    config: { id: string; url: string },
  ): Promise<Response> {
    if (binding === 'JSONRPC') {
      const params = { taskId, ...(method === 'Create' ? config : { id: config.id }) };
      return post('/a2a/jsonrpc', rpcBody(`${method}TaskPushNotificationConfig`, params));
    }
    const path = `/a2a/rest/tasks/${taskId}/pushNotificationConfigs`;
    if (method === 'Create') return post(path, config);
    return fetch(`${base()}${path}/${config.id}`, { method: method === 'Get' ? 'GET' : 'DELETE', headers: V1 });
  }

  return { send10, refusal10, getTask10, stream10, subscribe10, kindsOf, config10, post };
}
