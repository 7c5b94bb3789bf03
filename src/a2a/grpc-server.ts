import { LegacyA2AService, legacyGrpcService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import { A2AService, grpcService } from '@a2a-js/sdk/server/grpc';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import type { ServerUnaryCall, ServerWritableStream } from '@grpc/grpc-js';
import type { Credentials } from './authentication.ts';
import { authenticateRequest } from './authentication.ts';
import { newCall } from './call.ts';
import type { A2aCall, Wire } from './call.ts';
import type { Edge } from './edge.ts';
import { readiness } from './event-stream.ts';
import { EXTENSION_HEADERS, sharedExtensions } from './extensions.ts';
import { withOneScheme } from './legacy-wire.ts';
import { requestIds } from './grpc-request-id.ts';
import { tellingProblems } from './grpc-bad-request.ts';
import type { Failures } from './grpc-bad-request.ts';
import { checkDecoded, decodingSafely } from './grpc-decoding.ts';
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
}

export interface GrpcServer {
  port: number;
  /** Ends the streams, waits for the other calls under way for up to `graceMs`, then ends those too. */
  stop(graceMs: number): Promise<void>;
}

type GrpcCall = ServerUnaryCall<unknown, unknown> | ServerWritableStream<unknown, unknown>;

/**
 * A2A over gRPC, both wire generations on one port. Without TLS: a proxy in front of it adds that.
 * @throws {Error} when the port cannot be taken.
 */
export async function startGrpc(options: GrpcOptions): Promise<GrpcServer> {
  const { edge, credentials, host, port, trustedProxies = 0 } = options;
  const { handler, limits } = edge;
  const server = new Server({
    'grpc.max_receive_message_length': limits.bodyBytes,
    'grpc.keepalive_time_ms': limits.heartbeatMs,
    interceptors: [requestIds(trustedProxies)],
  });
  const streams = new Set<AbortController>();
  const failures: Failures = new WeakMap();
  const serve = (wire: Wire) => ({
    requestHandler: handler,
    userBuilder: (request: unknown) => callOf(request as GrpcCall, wire, { edge, credentials, streams, failures }),
  });
  server.addService(decodingSafely(A2AService), tellingProblems({ ...grpcService(serve('1.0')) }, failures));
  server.addService(
    decodingSafely(LegacyA2AService),
    tellingProblems({ ...legacyGrpcService(serve('0.3')) }, failures),
  );
  const taken = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`${host}:${port}`, ServerCredentials.createInsecure(), (error, bound) => {
      if (error === null) resolve(bound);
      else reject(error);
    });
  });
  return {
    port: taken,
    async stop(graceMs) {
      for (const stream of streams) stream.abort();
      await stop(server, graceMs);
    },
  };
}

interface CallDependencies extends Pick<GrpcOptions, 'edge' | 'credentials'> {
  /** Of the streams that are open. */
  streams: Set<AbortController>;
  failures: Failures;
}

async function callOf(
  request: GrpcCall,
  wire: Wire,
  { edge, credentials, streams, failures }: CallDependencies,
): Promise<A2aCall> {
  const known = (call: A2aCall) => {
    failures.set(request, call);
    return call;
  };
  try {
    const headers = Object.fromEntries(
      Object.entries(request.metadata.getMap()).map(([name, value]) => [name, value.toString()]),
    );
    nameExtensions(request, edge.extensions());
    const caller = await authenticateRequest(headers, credentials);
    await edge.admit(caller);
    checkDecoded(request.request);
    if (wire === '0.3') request.request = withOneScheme(request.request);
    const gone = new AbortController();
    request.once('cancelled', () => {
      gone.abort();
    });
    const call = { caller, wire, binding: 'GRPC', signal: () => gone.signal } as const;
    if (!('write' in request)) return known(newCall(call));
    streams.add(gone);
    request.once('close', () => streams.delete(gone));
    return known(newCall({ ...call, ready: readiness(request) }));
  } catch (error) {
    failures.set(request, { failure: error });
    throw sdkError(error, 'GRPC');
  }
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

async function stop(server: Server, graceMs: number): Promise<void> {
  const timer = setTimeout(() => {
    server.forceShutdown();
  }, graceMs);
  await new Promise<void>((resolve) => {
    server.tryShutdown(() => {
      resolve();
    });
  });
  clearTimeout(timer);
}
