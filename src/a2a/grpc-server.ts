import { LegacyA2AService, legacyGrpcService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import { A2AService, grpcService } from '@a2a-js/sdk/server/grpc';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import type { ServerUnaryCall, ServerWritableStream, ServiceDefinition } from '@grpc/grpc-js';
import { forwardedAddress } from '../platform/client-address.ts';
import { systemClock } from '../platform/clock.ts';
import { INPUT_LIMITS } from '../platform/intake/input-limits.ts';
import { createUnfinishedBytes } from '../platform/intake/unfinished-bytes.ts';
import type { UnfinishedBytes } from '../platform/intake/unfinished-bytes.ts';
import type { Credentials } from '../directory/credential/authentication.ts';
import { newCall } from './call.ts';
import type { A2aCall, Wire } from './call.ts';
import type { Edge } from './edge.ts';
import { readiness } from '../platform/readiness.ts';
import { EXTENSION_HEADERS, sharedExtensions } from './extensions.ts';
import { withOneScheme } from './legacy-wire.ts';
import { grpcConnections } from './grpc-connections.ts';
import type { GrpcConnections } from './grpc-connections.ts';
import { tellingFailures } from './grpc-failures.ts';
import type { KnownCalls } from './grpc-failures.ts';
import { checkDecoded, decodingSafely } from './grpc-decoding.ts';
import { requestIds } from './grpc-request-id.ts';
import { checkHeads } from './grpc-heads.ts';
import type { KnownCallers } from './grpc-heads.ts';
import { streamLives } from './grpc-stream-lives.ts';
import type { StreamLives } from './grpc-stream-lives.ts';
import { guardStreams } from './grpc-streams.ts';
import { sdkError } from './sdk-error.ts';

export interface GrpcOptions {
  /** Shared with the HTTP transports of this process. */
  edge: Edge;
  credentials: Credentials;
  host: string;
  /** 0 picks a free one. */
  port: number;
  /** Proxies in front that are believed about who calls. Default 0. */
  trustedProxies?: number;
  limits?: Partial<GrpcLimits>;
  /** Counts the bytes of unfinished requests; default: those of this port alone, of which no address has a budget. */
  unfinished?: UnfinishedBytes;
}

/** See {@link INPUT_LIMITS}, which has the numbers. */
export interface GrpcLimits {
  connections: number;
  unknownMs: number;
  messageMs: number;
  streamMs: number;
}

const LIMITS: GrpcLimits = {
  connections: INPUT_LIMITS.grpcConnections,
  unknownMs: INPUT_LIMITS.grpcUnknownMs,
  messageMs: INPUT_LIMITS.requestMs,
  streamMs: INPUT_LIMITS.grpcStreamMs,
};

export interface GrpcServer {
  port: number;
  /** Connections that stand. */
  connections(): number;
  /** Ends the streams and what calls wait for, waits for the calls under way for up to `graceMs`, then ends those too. */
  stop(graceMs: number): Promise<void>;
}

type GrpcCall = ServerUnaryCall<unknown, unknown> | ServerWritableStream<unknown, unknown>;

/**
 * A2A over gRPC, both wire generations on one port. Without TLS, and made to stand behind a proxy, which adds that.
 * @throws {Error} when the port cannot be taken.
 */
export async function startGrpc(options: GrpcOptions): Promise<GrpcServer> {
  const { edge, credentials, host, port, trustedProxies = 0 } = options;
  const { unfinished = createUnfinishedBytes({ clock: systemClock }) } = options;
  const limits = { ...LIMITS, ...options.limits };
  const heads = checkHeads({
    ...{ edge, credentials, messageMs: limits.messageMs, unknownCalls: INPUT_LIMITS.grpcUnknownCalls },
    know: (peer) => {
      connections.know(peer);
    },
  });
  const server = new Server({
    'grpc.max_receive_message_length': edge.limits.bodyBytes,
    'grpc.max_concurrent_streams': INPUT_LIMITS.grpcStreams,
    'grpc.max_connection_idle_ms': INPUT_LIMITS.grpcIdleMs,
    'grpc.max_connection_age_ms': INPUT_LIMITS.grpcConnectionMs,
    'grpc.max_connection_age_grace_ms': INPUT_LIMITS.grpcLastCallsMs,
    'grpc.keepalive_time_ms': edge.limits.heartbeatMs,
    // What it keeps for debuggers grows with every connection.
    'grpc.enable_channelz': 0,
    interceptors: [requestIds(trustedProxies), heads.interceptor],
  });
  const lives = streamLives(limits.streamMs);
  const known: KnownCalls = new WeakMap();
  const methods = new Set<string>();
  const add = (service: object, wire: Wire, serviceOf: typeof grpcService | typeof legacyGrpcService) => {
    const definition = decodingSafely(service);
    for (const path of pathsOf(definition)) methods.add(path);
    const userBuilder = (call: unknown) =>
      Promise.resolve(callOf(call as GrpcCall, wire, { edge, callers: heads.callers, lives, known }));
    const implementation = { ...serviceOf({ requestHandler: edge.handler, userBuilder }) };
    server.addService(definition, tellingFailures(implementation, wire, { known, lives }));
  };
  add(A2AService, '1.0', grpcService);
  add(LegacyA2AService, '0.3', legacyGrpcService);
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  guardStreams(server, {
    ...{ methods, unfinished },
    addressOf: ({ session }, { 'x-forwarded-for': forwarded }) =>
      forwardedAddress(session?.socket.remoteAddress ?? '', String(forwarded ?? ''), trustedProxies),
  });
  const connections = grpcConnections((socket) => {
    injector.injectConnection(socket);
  }, limits);
  return {
    port: await connections.listen(host, port),
    connections: () => connections.count(),
    stop: (graceMs) => stop({ server, connections, lives }, graceMs),
  };
}

interface Parts {
  server: Server;
  connections: GrpcConnections;
  lives: StreamLives;
}

async function stop({ server, connections, lives }: Parts, graceMs: number): Promise<void> {
  connections.stopListening();
  lives.endAll();
  const timer = setTimeout(() => {
    connections.destroyAll();
  }, graceMs);
  await new Promise<void>((resolve) => {
    server.tryShutdown(() => {
      resolve();
    });
  });
  clearTimeout(timer);
  connections.destroyAll();
}

function pathsOf(definition: ServiceDefinition): string[] {
  return Object.values(definition).map(({ path }) => path);
}

interface CallDependencies {
  edge: Edge;
  callers: KnownCallers;
  lives: StreamLives;
  known: KnownCalls;
}

function callOf(request: GrpcCall, wire: Wire, { edge, callers, lives, known }: CallDependencies): A2aCall {
  try {
    nameExtensions(request, edge.extensions());
    const caller = callers.get(request.metadata);
    if (caller === undefined) throw new Error('the head of this call has not been looked at');
    checkDecoded(request.request);
    if (wire === '0.3') request.request = withOneScheme(request.request);
    const signal = signalOf(request, lives);
    const call = newCall({
      ...{ caller, wire, binding: 'GRPC', signal: () => signal },
      ...('write' in request && { ready: readiness(request) }),
    });
    known.set(request, call);
    return call;
  } catch (error) {
    known.set(request, { failure: error, entered: false });
    throw sdkError(error);
  }
}

function signalOf(request: GrpcCall, lives: StreamLives): AbortSignal {
  return 'write' in request ? lives.begin(request) : lives.beginCall(request);
}

/** Names the extensions that the call and the agent share in the metadata that come before the answer, whoever sends them. */
function nameExtensions(request: GrpcCall, ours: readonly string[]): void {
  const shared = EXTENSION_HEADERS.flatMap((name) => {
    const value = sharedExtensions(request.metadata.get(name).join(','), ours);
    return value === undefined ? [] : [{ name, value }];
  });
  if (shared.length === 0) return;
  const sendMetadata = request.sendMetadata.bind(request);
  request.sendMetadata = (metadata) => {
    for (const { name, value } of shared) metadata.set(name, value);
    sendMetadata(metadata);
  };
}
