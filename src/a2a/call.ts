import type { ServerCallContext, User } from '@a2a-js/sdk/server';
import type { Caller } from '../directory/caller.ts';

/** Wire generations of A2A. */
export type Wire = '0.3' | '1.0';

/** The bindings of A2A to transports, as agent cards spell them. */
export type Binding = 'JSONRPC' | 'HTTP+JSON' | 'GRPC';

/** One authenticated request, as it travels through the SDK in the place of its user. */
export interface A2aCall extends User {
  readonly caller: Caller;
  readonly wire: Wire;
  readonly binding: Binding;
  /** The extensions that the client names. */
  readonly extensions?: string | undefined;
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal;
  /** Resolves when the client can take more; streams await it between events, so that a slow reader costs no memory. */
  ready(): Promise<void>;
  /** Whether the request got through the SDK's decoding to the request handler. */
  entered: boolean;
  /** What the request handler threw. The SDK shows its own errors; the edge shows this instead. */
  failure?: unknown;
  /** What was thrown and is told in an answer, as the public dialect wants it. */
  fault?: unknown;
}

export type NewCall = Pick<A2aCall, 'caller' | 'wire' | 'binding'> &
  Partial<Pick<A2aCall, 'ready' | 'extensions'>> & {
    /** Asked once, when it is first needed: most calls are over before. */
    signal: () => AbortSignal;
  };

export function newCall({ signal: makeSignal, ...given }: NewCall): A2aCall {
  let signal: AbortSignal | undefined;
  return {
    isAuthenticated: true,
    userName: given.caller.organization_id,
    ready: () => Promise.resolve(),
    ...given,
    get signal() {
      return (signal ??= makeSignal());
    },
    entered: false,
  };
}

/** The call that an SDK context belongs to. */
export function callOf(context: ServerCallContext): A2aCall {
  const { user } = context;
  if (user === undefined || !('caller' in user)) throw new Error('a request reached the handler without a caller');
  return user as A2aCall;
}
