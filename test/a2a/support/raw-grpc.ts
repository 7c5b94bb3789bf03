import { connect } from 'node:http2';
import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http2';
import { credentials, makeGenericClientConstructor, Metadata } from '@grpc/grpc-js';
import type { Client, ServiceDefinition, ServiceError } from '@grpc/grpc-js';

/** How a call ended, as the wire has it. */
export interface Ended {
  status: string | undefined;
  /** As it came, percent-encoded. */
  message: string;
  acceptedEncodings: string | string[] | undefined;
}

/** A connection on which calls may be as broken as one likes. */
export function rawConnection(port: number): ClientHttp2Session {
  // The client would otherwise give streams up for what it has to send itself.
  const session = connect(`http://127.0.0.1:${port}`, { maxSessionMemory: 10_000 });
  session.on('error', () => undefined);
  return session;
}

export function rawCall(
  session: ClientHttp2Session,
  path: string,
  headers: OutgoingHttpHeaders = {},
): ClientHttp2Stream {
  const head = { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' };
  const call = session.request({ ...head, ...headers });
  call.on('error', () => undefined);
  return call;
}

/** Waits until the agent has ended a call. */
export async function ended(call: ClientHttp2Stream): Promise<Ended> {
  let told: IncomingHttpHeaders = {};
  const hear = (headers: IncomingHttpHeaders) => {
    told = { ...told, ...headers };
  };
  call.on('response', hear).on('trailers', hear);
  call.resume();
  if (!call.destroyed) {
    await new Promise<void>((resolve) => {
      call.once('close', resolve);
    });
  }
  const { 'grpc-status': status, 'grpc-message': message = '', 'grpc-accept-encoding': acceptedEncodings } = told;
  return { status: status?.toString(), message: message.toString(), acceptedEncodings };
}

/** So many bytes of a message that is said to have `announced`. */
export function partOfMessage(announced: number, bytes: number, flag = 0): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(flag, 0);
  head.writeUInt32BE(announced, 1);
  return Buffer.concat([head, Buffer.alloc(bytes, 97)]);
}

/** A client of the gRPC library, on one connection. */
export interface GrpcCaller {
  /** What was answered. @throws {ServiceError} */
  answer(rpc: string, request: object, metadata?: Record<string, string>): Promise<unknown>;
  /** How it was refused; undefined when it was not. */
  call(rpc: string, request: object, metadata?: Record<string, string>): Promise<ServiceError | undefined>;
  /** The events of a stream, and how it ended. */
  stream(rpc: string, request: object): { events: unknown[]; ended: Promise<ServiceError | undefined> };
  close(): void;
}

export function grpcCaller(service: ServiceDefinition, port: number, key: string): GrpcCaller {
  const Service = makeGenericClientConstructor(service, 'client');
  const client: Client = new Service(`127.0.0.1:${port}`, credentials.createInsecure());
  const metadataOf = (more: Record<string, string>) => {
    const metadata = new Metadata();
    for (const [name, value] of Object.entries({ authorization: `Bearer ${key}`, ...more })) metadata.set(name, value);
    return metadata;
  };
  const method = (rpc: string) => {
    const found = service[rpc];
    if (found === undefined) throw new Error(`no rpc ${rpc}`);
    return found;
  };
  const answer: GrpcCaller['answer'] = (rpc, request, more = {}) => {
    const { path, requestSerialize, responseDeserialize } = method(rpc);
    return new Promise((resolve, reject) => {
      client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        request,
        metadataOf(more),
        (error, value) => {
          if (error === null) resolve(value);
          else reject(error);
        },
      );
    });
  };
  return {
    answer,
    call: (...given) =>
      answer(...given).then(
        () => undefined,
        (error: unknown) => error as ServiceError,
      ),
    stream(rpc, request) {
      const { path, requestSerialize, responseDeserialize } = method(rpc);
      const stream = client.makeServerStreamRequest(
        path,
        requestSerialize,
        responseDeserialize,
        request,
        metadataOf({}),
      );
      const events: unknown[] = [];
      const end = new Promise<ServiceError | undefined>((resolve) => {
        stream.on('data', (event) => events.push(event));
        stream.on('error', (error) => {
          resolve(error as ServiceError);
        });
        stream.on('end', () => {
          resolve(undefined);
        });
      });
      return { events, ended: end };
    },
    close: () => {
      client.close();
    },
  };
}
