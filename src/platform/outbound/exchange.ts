import type { Dispatcher } from 'undici';
import { afterDeadline } from '../deadline.ts';
import { socketFailure } from './failure.ts';
import type { ConnectionFailure } from './failure.ts';
import type { OutboundResult, Phase, Progress, Timings } from './outbound-result.ts';

export interface ExchangeRequest {
  path: string;
  method: 'GET' | 'POST' | 'PUT';
  headers: Record<string, string>;
  body: string | Uint8Array | null;
  connectTimeoutMs: number;
  totalTimeoutMs: number;
  maxResponseBytes: number;
  signal: AbortSignal | undefined;
}

export interface Settle {
  resolve: (result: OutboundResult) => void;
  reject: (reason: Error) => void;
}

/** Who has an exchange in hand at the moment: a queue, a dial or a connection. */
export interface Holder {
  /** The exchange is over. `isReusable`: its connection may serve the next one. */
  leave(isReusable: boolean): void;
  /** The connection turned out to be closed before anything was written: run the exchange elsewhere. */
  reroute?(): void;
}

/**
 * One request on its way, and the handler that undici calls for it. Keeps the deadline, the time spent per phase and
 * what has come back; settles once, whatever happens, and then lets go of its holder.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly options: Dispatcher.DispatchOptions;
  readonly connectTimeoutMs: number;
  readonly #maxResponseBytes: number;
  readonly #settle: Settle;
  readonly #signal: AbortSignal | undefined;
  readonly #callOffDeadline: () => void;
  readonly #startedAt = performance.now();
  readonly #timings: Timings = { dns_ms: 0, connect_ms: 0, tls_ms: 0, first_byte_ms: 0, total_ms: 0 };
  #isSettled = false;
  #holder: Holder | undefined;
  #phase: Phase = 'queue';
  #phaseAt = this.#startedAt;
  #address: string | undefined;
  #isReused = false;
  #isSent = false;
  #interimResponses = 0;
  #status: number | undefined;
  #headers: Record<string, string> = {};
  #chunks: Buffer[] = [];
  #size = 0;

  constructor(request: ExchangeRequest, settle: Settle) {
    const { path, method, headers, body, totalTimeoutMs, signal } = request;
    this.options = { path, method, headers, body };
    this.connectTimeoutMs = request.connectTimeoutMs;
    this.#maxResponseBytes = request.maxResponseBytes;
    this.#settle = settle;
    this.#signal = signal;
    this.#callOffDeadline = afterDeadline(totalTimeoutMs, () => {
      this.timeOut();
    });
    signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** Hands the exchange to its next holder, at the beginning of a phase. */
  hold(holder: Holder, phase: Phase): void {
    this.#holder = holder;
    this.#address = undefined;
    this.#isReused = false;
    this.enter(phase);
  }

  enter(phase: Phase): void {
    const now = performance.now();
    const field = TIMED_PHASES[this.#phase];
    if (field !== undefined) this.#timings[field] += now - this.#phaseAt;
    this.#phase = phase;
    this.#phaseAt = now;
  }

  /** Tells on what connection the exchange is about to run. */
  ride(address: string | undefined, isReused: boolean): void {
    this.#address = address;
    this.#isReused = isReused;
  }

  timeOut(): void {
    this.#end({ kind: 'timeout', phase: this.#phase, ...this.#statusSoFar(), ...this.#progress() });
  }

  refuse(reason: string): void {
    this.#end({ kind: 'refused', reason });
  }

  failToConnect(reason: ConnectionFailure): void {
    this.#end({ kind: 'connection_error', reason, ...this.#statusSoFar(), ...this.#progress() });
  }

  /** Ends the exchange by an exception: it was cancelled, or the request is one that cannot be written. */
  abandon(reason: Error, isReusable = false): void {
    if (this.#close()) this.#settle.reject(reason);
    this.#letGo(isReusable);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#isSent = true;
    if (this.#isSettled) controller.abort(new Error('the exchange is over'));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (this.#isSettled) return;
    if (status < 200) {
      if (++this.#interimResponses > MAX_INTERIM_RESPONSES) this.failToConnect('response is not valid http');
      return;
    }
    this.enter('body');
    this.#status = status;
    this.#headers = joined(headers);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isSettled) return;
    const room = this.#maxResponseBytes - this.#size;
    this.#size += chunk.length;
    this.#chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    if (chunk.length > room) this.#respond({ truncated: true });
  }

  onResponseEnd(): void {
    this.#respond({ truncated: false });
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    if (this.#isSettled) return;
    if (this.#isSent) this.failToConnect(socketFailure(error));
    else if (isUnwritable(error)) this.abandon(error, true);
    else if (this.#isReused && this.#holder?.reroute !== undefined) this.#holder.reroute();
    else this.failToConnect(socketFailure(error));
  }

  readonly #onAbort = (): void => {
    this.abandon(asError(this.#signal?.reason));
  };

  #respond({ truncated }: { truncated: boolean }): void {
    if (this.#isSettled) return;
    const body = this.#chunks.length === 1 ? this.#chunks[0] : undefined;
    this.#end(
      {
        kind: 'response',
        status: this.#status ?? 0,
        headers: this.#headers,
        body: body ?? Buffer.concat(this.#chunks),
        truncated,
        ...this.#progress(),
      },
      !truncated,
    );
  }

  #end(result: OutboundResult, isReusable = false): void {
    if (this.#close()) this.#settle.resolve(result);
    this.#letGo(isReusable);
  }

  #close(): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    this.#callOffDeadline();
    this.#signal?.removeEventListener('abort', this.#onAbort);
    return true;
  }

  #letGo(isReusable: boolean): void {
    const holder = this.#holder;
    this.#holder = undefined;
    holder?.leave(isReusable);
  }

  #statusSoFar(): { status?: number } {
    return this.#status === undefined ? {} : { status: this.#status };
  }

  #progress(): Progress {
    this.enter(this.#phase);
    const { dns_ms, connect_ms, tls_ms, first_byte_ms } = this.#timings;
    return {
      ...(this.#address !== undefined && { address: this.#address }),
      reused: this.#isReused,
      timings: {
        dns_ms: rounded(dns_ms),
        connect_ms: rounded(connect_ms),
        tls_ms: rounded(tls_ms),
        first_byte_ms: rounded(first_byte_ms),
        total_ms: rounded(performance.now() - this.#startedAt),
      },
    };
  }
}

const TIMED_PHASES: Partial<Record<Phase, keyof Timings>> = {
  dns: 'dns_ms',
  proxy: 'connect_ms',
  connect: 'connect_ms',
  tls: 'tls_ms',
  response: 'first_byte_ms',
};

const MAX_INTERIM_RESPONSES = 10;

/** Errors of a request that cannot be written as HTTP, such as a header value with a line break: the caller's mistake. */
function isUnwritable(error: Error): boolean {
  return 'code' in error && UNWRITABLE_CODES.includes(String(error.code));
}

const UNWRITABLE_CODES = ['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED', 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH'];

function joined(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  for (const [name, value] of Object.entries(headers)) if (Array.isArray(value)) headers[name] = value.join(', ');
  return headers as Record<string, string>;
}

function rounded(ms: number): number {
  return Math.round(ms * 100) / 100;
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('the request was cancelled', { cause: reason });
}
