import type { EventEmitter } from 'node:events';
import { status } from '@grpc/grpc-js';
import type { UntypedServiceImplementation } from '@grpc/grpc-js';
import { AppError } from '../platform/errors.ts';
import type { A2aCall, Wire } from './call.ts';
import { ProtocolError } from './failure.ts';
import { callStatus } from './grpc-status.ts';
import type { StreamLives } from './grpc-stream-lives.ts';

/** What is known of the calls under way, by the call of the gRPC library. */
export type KnownCalls = WeakMap<object, Pick<A2aCall, 'failure' | 'entered'>>;

/**
 * An implementation of the SDK's whose errors are told in our words (rule B12.details). The SDK's own repeat what the caller
 * sent, whatever its length, and have a reason of A2A where it has none.
 */
export function tellingFailures(
  implementation: UntypedServiceImplementation,
  wire: Wire,
  { known, lives }: { known: KnownCalls; lives: StreamLives },
): UntypedServiceImplementation {
  const methods = Object.entries(implementation).map(([name, method]) => {
    const handle = method as (...args: unknown[]) => unknown;
    const telling = (call: GrpcCall, callback?: (error: unknown, ...rest: unknown[]) => void) => {
      const told = (error: unknown) => callStatus(causeOf(error, wire, known.get(call)));
      const emit = call.emit.bind(call);
      // Of a stream, the SDK emits it.
      call.emit = (event: string | symbol, ...args: unknown[]) =>
        event === 'error' ? emit(event, told(args[0])) : emit(event, ...args);
      if (call.end !== undefined) {
        endingInWords(call, call.end.bind(call), () => known.get(call)?.failure ?? lives.endOf(call));
      }
      const answer =
        callback &&
        ((error: unknown, ...rest: unknown[]) => {
          lives.endCall(call);
          callback(error === null ? null : told(error), ...rest);
        });
      return handle(call, answer);
    };
    return [name, telling] as const;
  });
  return Object.fromEntries(methods);
}

interface GrpcCall extends EventEmitter {
  /** Of a stream. */
  end?: () => unknown;
}

/** A stream that is ended before its time says so, in the place of an end that its client would take for that of the task. */
function endingInWords(call: GrpcCall, end: () => unknown, whyEnded: () => unknown): void {
  call.end = () => {
    const why = whyEnded();
    call.end = end;
    // The library ends the stream then, with the status of this.
    return why === undefined ? end() : call.emit('error', why);
  };
}

/** What an error of the SDK stands for: what our handler threw, or a request that did not get there. */
function causeOf(error: unknown, wire: Wire, call: Pick<A2aCall, 'failure' | 'entered'> | undefined): unknown {
  if (call?.failure !== undefined) return call.failure;
  if (call === undefined || call.entered) return error;
  // So the SDK calls a version that the card does not list, and nothing else before the handler.
  if ((error as { code?: unknown } | undefined)?.code === status.FAILED_PRECONDITION) {
    return new ProtocolError('VERSION_NOT_SUPPORTED', `this service speaks ${wire}; send A2A-Version: ${wire}`);
  }
  return new AppError('INVALID_REQUEST', FORM[wire], { field: 'request' });
}

const FORM: Record<Wire, string> = {
  '1.0': 'the request does not have the form that this method needs',
  '0.3':
    'the request does not have the form that this method needs; a task is named tasks/ID, and its configuration tasks/ID/pushNotificationConfigs/ID',
};
