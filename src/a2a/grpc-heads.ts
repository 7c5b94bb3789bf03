import type { Metadata, ServerInterceptor } from '@grpc/grpc-js';
import { ServerInterceptingCall } from '@grpc/grpc-js';
import type { Caller } from '../directory/caller.ts';
import { AppError } from '../platform/errors.ts';
import type { Credentials } from '../directory/credential/authentication.ts';
import { authenticateRequest } from '../directory/credential/authentication.ts';
import type { Edge } from './edge.ts';
import type { Peer } from './grpc-connections.ts';
import { statusMessage, callStatus } from './grpc-status.ts';

export interface HeadOptions {
  edge: Pick<Edge, 'admit'>;
  credentials: Credentials;
  /** How long a request message may take to arrive, in milliseconds. */
  messageMs: number;
  /** Calls at a time whose credential is being looked at. */
  unknownCalls: number;
  /** Is told on which connection somebody is known. */
  know: (peer: Peer) => void;
}

/** Who calls, by the metadata that the method is given. */
export type KnownCallers = WeakMap<Metadata, Caller>;

/**
 * Looks at the head of a call, its metadata, before a byte of its body is read: who calls, and whether they may now. HTTP/2 lets a
 * client send no more than its first window, 64 KiB, meanwhile. Then the message has so long to come.
 */
export function checkHeads(options: HeadOptions): { interceptor: ServerInterceptor; callers: KnownCallers } {
  const { edge, credentials, messageMs, unknownCalls, know } = options;
  const callers: KnownCallers = new WeakMap();
  let looking = 0;

  async function callerOf(metadata: Metadata): Promise<Caller> {
    if (looking >= unknownCalls) {
      throw new AppError('SERVICE_UNAVAILABLE', 'too many calls at once; try again', { retry_after: 1 });
    }
    looking++;
    try {
      const headers = Object.entries(metadata.getMap()).map(([name, value]) => [name, value.toString()] as const);
      const caller = await authenticateRequest(Object.fromEntries(headers), credentials);
      await edge.admit(caller);
      return caller;
    } finally {
      looking--;
    }
  }

  const interceptor: ServerInterceptor = (_method, call) => {
    let deadline: NodeJS.Timeout | undefined;
    let isOver = false;
    const refuse = (error: unknown) => {
      call.sendStatus(callStatus(error));
    };
    const over = () => {
      isOver = true;
      clearTimeout(deadline);
    };
    return new ServerInterceptingCall(call, {
      start(next) {
        next({
          onReceiveMetadata(metadata, proceed) {
            callerOf(metadata)
              .then((caller) => {
                callers.set(metadata, caller);
                know(call.getConnectionInfo());
                if (isOver) return;
                deadline = setTimeout(() => {
                  refuse(tooSlow(messageMs));
                }, messageMs);
                proceed(metadata);
              })
              .catch(refuse);
          },
          onReceiveHalfClose(proceed) {
            over();
            proceed();
          },
          onCancel: over,
        });
      },
      sendStatus(status, next) {
        over();
        next({ ...status, details: statusMessage(status.details) });
      },
    });
  };
  return { interceptor, callers };
}

function tooSlow(messageMs: number): AppError {
  return new AppError(
    'TIMEOUT',
    `the request message did not come within ${messageMs / 1000} seconds; send it at once`,
  );
}
