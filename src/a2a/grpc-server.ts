import { LegacyA2AService, legacyGrpcService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import { A2AService, grpcService } from '@a2a-js/sdk/server/grpc';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import type { ServerUnaryCall, ServerWritableStream } from '@grpc/grpc-js';
import type { Credentials } from './authentication.ts';
import { authenticateRequest } from './authentication.ts';
import { newCall } from './call.ts';
import type { Call, Wire } from './call.ts';
import type { Edge } from './edge.ts';
import { readiness } from './event-stream.ts';
import { sdkError } from './sdk-error.ts';

export interface GrpcOptions {
  /** Shared with the HTTP transports of this process. */
  edge: Edge;
  credentials: Credentials;
  host: string;
  /** 0 picks a free one. */
  port: number;
}

export interface GrpcServer {
  port: number;
  /** Waits for calls under way for up to `graceMs`, then ends them. */
  stop(graceMs: number): Promise<void>;
}

type GrpcCall = ServerUnaryCall<unknown, unknown> | ServerWritableStream<unknown, unknown>;

/**
 * A2A over gRPC, both wire generations on one port. Without TLS: a proxy in front of it adds that.
 * @throws {Error} when the port cannot be taken.
 */
export async function startGrpc({ edge, credentials, host, port }: GrpcOptions): Promise<GrpcServer> {
  const { handler, limits } = edge;
  const server = new Server({
    'grpc.max_receive_message_length': limits.bodyBytes,
    'grpc.keepalive_time_ms': limits.heartbeatMs,
  });
  const serve = (wire: Wire) => ({
    requestHandler: handler,
    userBuilder: (request: unknown) => callOf(request as GrpcCall, wire, edge, credentials),
  });
  server.addService(A2AService, grpcService(serve('1.0')));
  server.addService(LegacyA2AService, legacyGrpcService(serve('0.3')));
  const taken = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`${host}:${port}`, ServerCredentials.createInsecure(), (error, bound) => {
      if (error === null) resolve(bound);
      else reject(error);
    });
  });
  return { port: taken, stop: (graceMs) => stop(server, graceMs) };
}

async function callOf(request: GrpcCall, wire: Wire, edge: Edge, credentials: Credentials): Promise<Call> {
  try {
    const headers = Object.fromEntries(
      Object.entries(request.metadata.getMap()).map(([name, value]) => [name, value.toString()]),
    );
    const caller = await authenticateRequest(headers, credentials);
    await edge.admit(caller);
    const gone = new AbortController();
    request.once('cancelled', () => {
      gone.abort();
    });
    const ready = 'write' in request ? readiness(request) : undefined;
    return newCall({ caller, wire, binding: 'GRPC', signal: () => gone.signal, ...(ready && { ready }) });
  } catch (error) {
    throw sdkError(error, 'GRPC');
  }
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
