import { constants } from 'node:http2';
import type { Http2Server, IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { Server } from '@grpc/grpc-js';
import { AppError } from '../platform/errors.ts';
import { INPUT_LIMITS } from '../platform/intake/input-limits.ts';
import type { UnfinishedBytes } from '../platform/intake/unfinished-bytes.ts';
import { ProtocolError } from './failure.ts';
import { callStatus } from './grpc-status.ts';

export interface StreamGuardOptions {
  /** Paths of the methods that there are. */
  methods: ReadonlySet<string>;
  /** Counts the bytes of request messages that have not come to their end. */
  unfinished: UnfinishedBytes;
  /** Where a call comes from. */
  addressOf: (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => string;
}

type Serve = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, flags: number) => void;

/**
 * Looks at each stream of HTTP/2 before the gRPC library does, which repeats the caller's text in what it refuses by itself,
 * reads on after it has answered, and ends the process over a message that is not compressed as it says.
 */
export function guardStreams(server: Server, { methods, unfinished, addressOf }: StreamGuardOptions): void {
  const http2Server = http2ServerOf(server);
  // A head of more is answered by a reset of its stream.
  http2Server.updateSettings({ maxHeaderListSize: INPUT_LIMITS.headBytes });
  const serve = http2Server.listeners('stream') as Serve[];
  http2Server.removeAllListeners('stream');
  http2Server.on('stream', (stream, headers, flags) => {
    // A client may reset any stream; the library listens for that only where it knows the method.
    stream.on('error', () => undefined);
    endWithAnswer(stream);
    const refusal = refusalOfHead(headers, methods);
    if (refusal !== undefined) {
      refuse(stream, refusal);
      return;
    }
    countUnfinished(stream, addressOf(stream, headers), unfinished);
    for (const each of serve) each(stream, headers, flags);
  });
}

/** The library has no public way to the server that it makes. */
function http2ServerOf(server: Server): Http2Server {
  const { http2Servers } = server as unknown as { http2Servers?: Map<Http2Server, unknown> };
  const [found] = http2Servers?.keys() ?? [];
  if (found === undefined) throw new Error('the gRPC library has no HTTP/2 server where it had one');
  return found;
}

/** What the library would refuse by itself. */
function refusalOfHead(headers: IncomingHttpHeaders, methods: ReadonlySet<string>): AppError | undefined {
  const { ':path': path = '', 'grpc-timeout': timeout, 'grpc-encoding': encoding = 'identity' } = headers;
  if (!methods.has(path)) return new ProtocolError('METHOD_NOT_FOUND', 'there is no such method over gRPC');
  if (timeout !== undefined && !/^\d{1,8}[HMSmun]$/.test(String(timeout))) {
    return new AppError('INVALID_REQUEST', 'grpc-timeout: send up to 8 digits and a unit, such as 20S');
  }
  if (encoding !== 'identity') {
    return new ProtocolError('UNSUPPORTED_OPERATION', 'grpc-encoding: send messages uncompressed');
  }
  return undefined;
}

/** Whoever is answered before the end of the request is told to send no more of it. */
function endWithAnswer(stream: ServerHttp2Stream): void {
  const respond = stream.respond.bind(stream);
  stream.respond = (headers, options) => {
    const hasEncodings = headers !== undefined && 'grpc-accept-encoding' in headers;
    respond(hasEncodings ? { ...headers, 'grpc-accept-encoding': 'identity' } : headers, options);
    if (options?.endStream === true) stream.close(constants.NGHTTP2_NO_ERROR);
  };
}

function countUnfinished(stream: ServerHttp2Stream, address: string, unfinished: UnfinishedBytes): void {
  const from = { address, isStranger: false };
  let held = 0;
  const letGo = () => {
    if (held > 0) unfinished.letGo(from, held);
    held = 0;
  };
  stream.on('data', ({ length }: Buffer) => {
    if (stream.closed) return;
    try {
      unfinished.hold(from, length);
      held += length;
    } catch (error) {
      refuse(stream, error);
    }
  });
  stream.once('end', letGo);
  stream.once('close', letGo);
}

/** Answers without the library: a status alone. */
function refuse(stream: ServerHttp2Stream, error: unknown): void {
  if (stream.destroyed || stream.headersSent) return;
  const { code, details, metadata } = callStatus(error);
  const head = { ':status': 200, 'content-type': 'application/grpc+proto', 'grpc-accept-encoding': 'identity' };
  const told = { 'grpc-status': String(code), 'grpc-message': encodeURI(details) };
  stream.respond({ ...head, ...told, ...metadata.toHttp2Headers() }, { endStream: true });
}
