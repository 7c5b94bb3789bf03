import { Duplex } from 'node:stream';
import type { Socket } from 'node:net';

/** Interim answers before one response that are taken out; more are passed on, to be refused. */
const MAX_CONTINUES = 10;
/** The longest head of an interim answer, in bytes. */
const MAX_HEAD = 16_384;

const CONTINUE = 'HTTP/1.1 100';
const HEAD_END = Buffer.from('\r\n\r\n');

/**
 * The same connection without each `100 Continue` that comes before a response: RFC 9110 (15.2.1) has clients bear one they did
 * not ask for, and undici takes it for a broken answer. It costs a copy of what is read, so it is for those who have sent one.
 */
export function withoutContinue(socket: Socket): Socket {
  let held: Buffer | undefined = Buffer.alloc(0);
  let taken = 0;

  /** What of these bytes is the response's own; undefined while that is not known. */
  function own(chunk: Buffer): Buffer | undefined {
    if (held === undefined) return chunk;
    let rest = Buffer.concat([held, chunk]);
    while (isContinue(rest) && taken < MAX_CONTINUES) {
      const end = rest.indexOf(HEAD_END);
      if (end === -1) break;
      rest = rest.subarray(end + HEAD_END.length);
      taken++;
    }
    held = mayBeContinue(rest) && taken < MAX_CONTINUES ? rest : undefined;
    return held === undefined ? rest : undefined;
  }

  const bare = new Duplex({
    read() {
      socket.resume();
    },
    write(chunk: Buffer, _encoding, done) {
      // A request begins, and its response may begin so.
      held ??= Buffer.alloc(0);
      taken = 0;
      socket.write(chunk, done);
    },
    final(done) {
      socket.end(done);
    },
    destroy(error, done) {
      socket.destroy();
      done(error);
    },
  });
  socket.on('data', (chunk: Buffer) => {
    const bytes = own(chunk);
    if (bytes !== undefined && bytes.length > 0 && !bare.push(bytes)) socket.pause();
  });
  socket.on('end', () => bare.push(null));
  socket.on('error', (error) => bare.destroy(error));
  socket.on('close', () => {
    // What came before the end is still to be read.
    if (!socket.readableEnded) bare.destroy();
  });
  // All that undici asks of a connection is to be a stream.
  return bare as unknown as Socket;
}

function isContinue(bytes: Buffer): boolean {
  return /^HTTP\/1\.[01] 100[ \r]/.test(bytes.toString('latin1', 0, CONTINUE.length + 1));
}

/** Whether these bytes may be the beginning of an interim answer, or are one whose end has not come. */
function mayBeContinue(bytes: Buffer): boolean {
  if (bytes.length > MAX_HEAD) return false;
  const start = bytes.toString('latin1', 0, CONTINUE.length).replace('HTTP/1.0', 'HTTP/1.1');
  return bytes.length <= CONTINUE.length ? CONTINUE.startsWith(start) : isContinue(bytes);
}
