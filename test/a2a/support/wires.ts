import { randomUUID } from 'node:crypto';
import { LegacyA2AService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { credentials, makeGenericClientConstructor, Metadata } from '@grpc/grpc-js';
import type { ServiceDefinition, ServiceError } from '@grpc/grpc-js';
import { readEvents } from './sse.ts';

/** The operations that every wire has. */
export type Operation =
  'send' | 'stream' | 'get' | 'cancel' | 'subscribe' | 'createConfig' | 'getConfig' | 'listConfigs' | 'deleteConfig';
export const OPERATIONS: readonly Operation[] = [
  ...(['send', 'stream', 'get', 'cancel', 'subscribe'] as const),
  ...(['createConfig', 'getConfig', 'listConfigs', 'deleteConfig'] as const),
];

export interface Request {
  /** The task that the operation is about; for `send` and `stream` the one that goes on. */
  taskId?: string;
  configId?: string;
  skill?: string;
  input?: unknown;
  /** In 0.3: with {@link SHARED_SECRET}, of the configuration that is created, or that is sent along. */
  schemes?: string[];
}

export const SHARED_SECRET = 'c0rrect-horse-battery-staple-0123456789';

/** How a wire says no: our own code, and what the wire itself has for it. */
export interface Refusal {
  code: string | undefined;
  /** The code of JSON-RPC, the status of HTTP, or the status of gRPC. */
  status: number;
  retryAfter?: string | undefined;
  /** Everything it said. */
  text: string;
}

/** One client that asks for the same on any wire. */
export interface WireClient {
  name: string;
  binding: 'JSONRPC' | 'HTTP+JSON' | 'GRPC';
  /** Undefined when the request was granted; of a stream, its first event counts. */
  refusal(operation: Operation, request: Request): Promise<Refusal | undefined>;
}

/** Both generations over all three bindings. */
export function wireClients(agent: { url: string; grpcAddress: string }, key: string): WireClient[] {
  return [rpc10(agent.url, key), rpc03(agent.url, key), rest10(agent.url, key), rest03(agent.url, key)].concat([
    grpcClient('gRPC 1.0', agent.grpcAddress, key, A2AService, grpc10),
    grpcClient('gRPC 0.3', agent.grpcAddress, key, LegacyA2AService, grpc03),
  ]);
}

const CONFIG_URL = 'http://127.0.0.1:9/hook';

function authenticationOf({ schemes }: Request) {
  return schemes && { authentication: { schemes, credentials: SHARED_SECRET } };
}

/** A configuration of 0.3 to send along with a message, under the name that the binding has for it. */
function sentAlong(request: Request, name: string, more: object = {}) {
  const config = { ...more, url: CONFIG_URL, ...authenticationOf(request) };
  return (
    request.schemes && { configuration: { blocking: false, historyLength: 0, acceptedOutputModes: [], [name]: config } }
  );
}

function message(role: string, part: object, { taskId }: Request) {
  return { messageId: randomUUID(), role, parts: [part], ...(taskId !== undefined && { taskId }) };
}

function rpc10(url: string, key: string): WireClient {
  const body = (r: Request) => ({ message: message('ROLE_USER', { data: { skill: r.skill, input: r.input } }, r) });
  const calls: Record<Operation, (request: Request) => [string, object]> = {
    send: (r) => ['SendMessage', body(r)],
    stream: (r) => ['SendStreamingMessage', body(r)],
    get: ({ taskId: id }) => ['GetTask', { id }],
    cancel: ({ taskId: id }) => ['CancelTask', { id }],
    subscribe: ({ taskId: id }) => ['SubscribeToTask', { id }],
    createConfig: ({ taskId, configId: id }) => [
      'CreateTaskPushNotificationConfig',
      { taskId, ...(id && { id }), url: CONFIG_URL },
    ],
    getConfig: ({ taskId, configId: id }) => ['GetTaskPushNotificationConfig', { taskId, id }],
    listConfigs: ({ taskId }) => ['ListTaskPushNotificationConfigs', { taskId }],
    deleteConfig: ({ taskId, configId: id }) => ['DeleteTaskPushNotificationConfig', { taskId, id }],
  };
  return rpcClientOf('JSON-RPC 1.0', url, key, '1.0', calls, (error) => error.data[1]?.error.code);
}

function rpc03(url: string, key: string): WireClient {
  const data = (r: Request) => ({ kind: 'data', data: { skill: r.skill, input: r.input } });
  const body = (r: Request) => ({
    message: { kind: 'message', ...message('user', data(r), r) },
    ...sentAlong(r, 'pushNotificationConfig'),
  });
  const calls: Record<Operation, (request: Request) => [string, object]> = {
    send: (r) => ['message/send', body(r)],
    stream: (r) => ['message/stream', body(r)],
    get: ({ taskId: id }) => ['tasks/get', { id }],
    cancel: ({ taskId: id }) => ['tasks/cancel', { id }],
    subscribe: ({ taskId: id }) => ['tasks/resubscribe', { id }],
    createConfig: ({ taskId, configId: id, ...r }) => [
      'tasks/pushNotificationConfig/set',
      { taskId, pushNotificationConfig: { ...(id && { id }), url: CONFIG_URL, ...authenticationOf(r) } },
    ],
    getConfig: (r) => ['tasks/pushNotificationConfig/get', { id: r.taskId, pushNotificationConfigId: r.configId }],
    listConfigs: ({ taskId: id }) => ['tasks/pushNotificationConfig/list', { id }],
    deleteConfig: (r) => [
      'tasks/pushNotificationConfig/delete',
      { id: r.taskId, pushNotificationConfigId: r.configId },
    ],
  };
  return rpcClientOf('JSON-RPC 0.3', url, key, '0.3', calls, (error) => error.data.error.code);
}

interface RpcError {
  code: number;
  data: { error: { code: string } }[] & { error: { code: string } };
}

function rpcClientOf(
  name: string,
  url: string,
  key: string,
  version: string,
  calls: Record<Operation, (request: Request) => [string, object]>,
  codeOf: (error: RpcError) => string | undefined,
): WireClient {
  return {
    name,
    binding: 'JSONRPC',
    async refusal(operation, request) {
      const [method, params] = calls[operation](request);
      const response = await fetch(`${url}/a2a/jsonrpc`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'A2A-Version': version, Authorization: `Bearer ${key}` },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      });
      const { error } = (await answerOf(response)) as { error?: RpcError };
      const retryAfter = response.headers.get('retry-after') ?? undefined;
      return error && { code: codeOf(error), status: error.code, retryAfter, text: JSON.stringify(error) };
    },
  };
}

/** The body, or the first event of a stream, which is then left. */
async function answerOf(response: Response): Promise<unknown> {
  if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true) {
    const text = await response.text();
    return text === '' ? {} : JSON.parse(text);
  }
  for await (const { data } of readEvents(response)) return data;
  return {};
}

type RestCall = [method: string, path: string, body?: object];

function rest10(url: string, key: string): WireClient {
  const body = (r: Request) => ({ message: message('ROLE_USER', { data: { skill: r.skill, input: r.input } }, r) });
  const calls: Record<Operation, (request: Request) => RestCall> = {
    send: (r) => ['POST', '/message:send', body(r)],
    stream: (r) => ['POST', '/message:stream', body(r)],
    ...taskCalls(''),
    createConfig: ({ taskId, configId: id }) => [
      'POST',
      `/tasks/${taskId}/pushNotificationConfigs`,
      { ...(id && { id }), url: CONFIG_URL },
    ],
  };
  return restClientOf('HTTP+JSON 1.0', url, key, calls, (body) => body.error?.details[1]?.error?.code);
}

function rest03(url: string, key: string): WireClient {
  const body = (r: Request) => {
    const { parts, ...rest } = message('ROLE_USER', { data: { data: { skill: r.skill, input: r.input } } }, r);
    return { request: { ...rest, content: parts }, ...sentAlong(r, 'pushNotification') };
  };
  const calls: Record<Operation, (request: Request) => RestCall> = {
    send: (r) => ['POST', '/v1/message:send', body(r)],
    stream: (r) => ['POST', '/v1/message:stream', body(r)],
    ...taskCalls('/v1'),
    createConfig: ({ taskId, configId: id = randomUUID(), ...r }) => [
      'POST',
      `/v1/tasks/${taskId}/pushNotificationConfigs`,
      {
        name: `tasks/${taskId}/pushNotificationConfigs/${id}`,
        push_notification_config: { id, url: CONFIG_URL, ...authenticationOf(r) },
      },
    ],
  };
  return restClientOf('HTTP+JSON 0.3', url, key, calls, (body) => body.data?.error.code);
}

function taskCalls(prefix: string) {
  const at = ({ taskId }: Request) => `${prefix}/tasks/${taskId}`;
  const config = (request: Request) => `${at(request)}/pushNotificationConfigs/${request.configId}`;
  return {
    get: (request: Request): RestCall => ['GET', at(request)],
    cancel: (request: Request): RestCall => ['POST', `${at(request)}:cancel`],
    subscribe: (request: Request): RestCall => ['POST', `${at(request)}:subscribe`],
    getConfig: (request: Request): RestCall => ['GET', config(request)],
    listConfigs: (request: Request): RestCall => ['GET', `${at(request)}/pushNotificationConfigs`],
    deleteConfig: (request: Request): RestCall => ['DELETE', config(request)],
  };
}

interface RestError {
  error?: { details: { error?: { code: string } }[] };
  data?: { error: { code: string } };
}

function restClientOf(
  name: string,
  url: string,
  key: string,
  calls: Record<Operation, (request: Request) => RestCall>,
  codeOf: (body: RestError) => string | undefined,
): WireClient {
  return {
    name,
    binding: 'HTTP+JSON',
    async refusal(operation, request) {
      const [method, path, body] = calls[operation](request);
      const response = await fetch(`${url}/a2a/rest${path}`, {
        method,
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` },
        ...(body && { body: JSON.stringify(body) }),
      });
      const answer = await answerOf(response);
      if (response.status < 400) return undefined;
      const retryAfter = response.headers.get('retry-after') ?? undefined;
      const text = JSON.stringify(answer);
      return { code: codeOf(answer as RestError), status: response.status, retryAfter, text };
    },
  };
}

type GrpcCall = [rpc: string, request: object];

const grpc10 = ({ taskId = '', configId = '', skill, input, ...none }: Request, operation: Operation): GrpcCall => {
  const message = { ...grpcMessage(taskId), parts: [dataPart({ skill, input })] };
  const calls: Record<Operation, GrpcCall> = {
    send: ['sendMessage', { message }],
    stream: ['sendStreamingMessage', { message }],
    get: ['getTask', { id: taskId }],
    cancel: ['cancelTask', { id: taskId }],
    subscribe: ['subscribeToTask', { id: taskId }],
    createConfig: ['createTaskPushNotificationConfig', { taskId, id: configId, url: CONFIG_URL }],
    getConfig: ['getTaskPushNotificationConfig', { taskId, id: configId }],
    listConfigs: ['listTaskPushNotificationConfigs', { taskId }],
    deleteConfig: ['deleteTaskPushNotificationConfig', { taskId, id: configId }],
  };
  return [calls[operation][0], { tenant: '', pageSize: 0, pageToken: '', token: '', ...none, ...calls[operation][1] }];
};

const grpc03 = ({ taskId = '', configId = '', skill, input, ...r }: Request, operation: Operation): GrpcCall => {
  const [name, config] = [`tasks/${taskId}`, `tasks/${taskId}/pushNotificationConfigs/${configId}`];
  const pushNotificationConfig = { id: configId, url: CONFIG_URL, token: '', ...authenticationOf(r) };
  const data = { part: { $case: 'data', value: { data: { skill, input } } } };
  const request = { ...grpcMessage(taskId), content: [data] };
  const calls: Record<Operation, GrpcCall> = {
    send: ['sendMessage', { request, ...sentAlong(r, 'pushNotification', { id: '', token: '' }) }],
    stream: ['sendStreamingMessage', { request }],
    get: ['getTask', { name, historyLength: 0 }],
    cancel: ['cancelTask', { name }],
    subscribe: ['taskSubscription', { name }],
    createConfig: [
      'createTaskPushNotificationConfig',
      { parent: name, configId, config: { name: config, pushNotificationConfig } },
    ],
    getConfig: ['getTaskPushNotificationConfig', { name: config }],
    listConfigs: ['listTaskPushNotificationConfig', { parent: name, pageSize: 0, pageToken: '' }],
    deleteConfig: ['deleteTaskPushNotificationConfig', { name: config }],
  };
  return calls[operation];
};

function grpcMessage(taskId: string) {
  return { messageId: randomUUID(), contextId: '', taskId, role: 1, extensions: [], referenceTaskIds: [] };
}

function dataPart(value: object) {
  return { content: { $case: 'data', value }, filename: '', mediaType: '' };
}

function grpcClient(
  name: string,
  address: string,
  key: string,
  service: ServiceDefinition,
  callOf: (request: Request, operation: Operation) => GrpcCall,
): WireClient {
  const Client = makeGenericClientConstructor(service, name);
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${key}`);
  return {
    name,
    binding: 'GRPC',
    async refusal(operation, request) {
      const client = new Client(address, credentials.createInsecure());
      const [rpc, body] = callOf(request, operation);
      const { responseStream, path, requestSerialize, responseDeserialize } = service[rpc] ?? {};
      if (path === undefined || !requestSerialize || !responseDeserialize) throw new Error(`no rpc ${rpc}`);
      try {
        await new Promise<void>((resolve, reject) => {
          if (responseStream === true) {
            const stream = client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, body, metadata);
            stream.once('data', () => {
              resolve();
              stream.cancel();
            });
            stream.on('error', reject);
          } else {
            client.makeUnaryRequest(path, requestSerialize, responseDeserialize, body, metadata, (error) => {
              if (error === null) resolve();
              else reject(error);
            });
          }
        });
        return undefined;
      } catch (error) {
        const { code, details, metadata: trailers } = error as ServiceError;
        return { status: code, ...detailsOf(trailers, details) };
      } finally {
        client.close();
      }
    },
  };
}

/** What `google.rpc.ErrorInfo` says, found in its protobuf form: entries of a key (1) and a value (2), both texts. */
function detailsOf(trailers: Metadata | undefined, message: string) {
  const [details] = trailers?.get('grpc-status-details-bin') ?? [];
  const text = Buffer.isBuffer(details) ? details.toString('latin1') : '';
  const entry = (key: string) => {
    const start = text.indexOf(`\n${String.fromCharCode(key.length)}${key}\x12`);
    if (start < 0) return undefined;
    const at = start + key.length + 3;
    return text.slice(at + 1, at + 1 + text.charCodeAt(at));
  };
  // Every request has an id of its own.
  const told = text.replace(/request_id\x12\$[\da-f-]{36}/, 'request_id');
  return { code: entry('code'), retryAfter: entry('retry_after'), text: `${message} ${told}` };
}
