import type { Socket } from 'node:net';
import { Client } from 'undici';
import { afterDeadline } from '../deadline.ts';
import type { Connect, ConnectOutcome } from './connect.ts';
import type { Exchange, Holder } from './exchange.ts';
import type { Target } from './url-guard.ts';
import { withoutContinue } from './without-continue.ts';

/** The keep-alive connections to one origin, and the exchanges that wait for one. */
export interface Pool {
  /** Runs the exchange on a free connection, else on a new one, else as soon as there is one. */
  run(exchange: Exchange): void;
  /** Ends every exchange by this exception and closes every connection. */
  close(reason: Error): Promise<void>;
}

export interface PoolOptions {
  connect: Connect;
  /** Any target of the origin. */
  target: Target;
  /** Connections open at once; exchanges beyond it wait. */
  maxConnections: number;
  /** Called when there is nothing left in the pool. */
  onEmpty: () => void;
  /** Whether the origin has sent what undici takes for a broken answer, such as a `100 Continue` that nobody asked for. */
  isOdd: () => boolean;
  /** Called when it has. */
  onOdd: () => void;
}

interface Connection extends Holder {
  readonly client: Client;
  readonly address: string | undefined;
  isUsed: boolean;
  exchange: Exchange | undefined;
}

/**
 * A pool of our own over undici's `Client`, each bound to one socket that {@link Connect} opened: so a request knows the
 * address and the phases of its connection, a cancelled one leaves at once, and no reconnect passes by the guard.
 */
export function createPool({ connect, target, maxConnections, onEmpty, isOdd, onOdd }: PoolOptions): Pool {
  const connections = new Set<Connection>();
  const idle: Connection[] = [];
  const dialing = new Set<Exchange>();
  const queue = new Set<Exchange>();

  function run(exchange: Exchange): void {
    const connection = idle.pop();
    if (connection !== undefined) ride(connection, exchange);
    else if (connections.size + dialing.size < maxConnections) dial(exchange);
    else wait(exchange);
  }

  function wait(exchange: Exchange): void {
    queue.add(exchange);
    const leave = (): void => {
      queue.delete(exchange);
    };
    exchange.hold({ leave }, 'queue');
  }

  function dial(exchange: Exchange): void {
    const cancel = new AbortController();
    const callOffDeadline = afterDeadline(exchange.connectTimeoutMs, () => {
      exchange.timeOut();
    });
    dialing.add(exchange);
    const stop = (): void => {
      callOffDeadline();
      dialing.delete(exchange);
    };
    const leave = (): void => {
      stop();
      cancel.abort(new Error('nobody waits for this connection any more'));
      runNext();
    };
    exchange.hold({ leave }, target.isLiteral ? 'connect' : 'dns');
    const onPhase = exchange.enter.bind(exchange);
    void connect(target, cancel.signal, onPhase).then((outcome) => {
      if (cancel.signal.aborted) discard(outcome);
      else if (outcome.kind === 'refused') exchange.refuse(outcome.reason);
      else if (outcome.kind === 'connection_error') exchange.failToConnect(outcome.reason);
      else {
        stop();
        ride(adopt(outcome.socket, outcome.address), exchange);
      }
    });
  }

  function adopt(dialed: Socket, address: string | undefined): Connection {
    const socket = isOdd() ? withoutContinue(dialed) : dialed;
    const client = new Client(target.origin, {
      ...CLIENT_OPTIONS,
      connect: (_options, callback) => {
        queueMicrotask(() => {
          callback(null, socket);
        });
      },
    });
    const connection: Connection = {
      client,
      address,
      isUsed: false,
      exchange: undefined,
      leave: (isReusable) => {
        connection.exchange = undefined;
        if (isReusable) release(connection);
        else drop(connection);
      },
      reroute: () => {
        if (connection.exchange !== undefined) run(connection.exchange);
        drop(connection);
      },
    };
    client.on('disconnect', (_origin, _targets, error) => {
      if (error.message === 'bad response') onOdd();
      drop(connection);
    });
    connections.add(connection);
    return connection;
  }

  function ride(connection: Connection, exchange: Exchange): void {
    connection.exchange = exchange;
    exchange.hold(connection, 'response');
    exchange.ride(connection.address, connection.isUsed);
    connection.isUsed = true;
    connection.client.dispatch(exchange.options, exchange);
  }

  function release(connection: Connection): void {
    if (!connections.has(connection)) return;
    const [next] = queue;
    if (next === undefined) {
      idle.push(connection);
      return;
    }
    queue.delete(next);
    ride(connection, next);
  }

  function drop(connection: Connection): void {
    if (!connections.delete(connection)) return;
    const at = idle.indexOf(connection);
    if (at !== -1) idle.splice(at, 1);
    connection.client.destroy(null, ignore);
    runNext();
  }

  function runNext(): void {
    const [next] = queue;
    if (next !== undefined) {
      queue.delete(next);
      run(next);
    } else if (connections.size + dialing.size === 0) onEmpty();
  }

  async function close(reason: Error): Promise<void> {
    const open = [...connections];
    for (const exchange of [...queue, ...dialing]) exchange.abandon(reason);
    for (const connection of open) {
      connection.exchange?.abandon(reason);
      drop(connection);
    }
    await Promise.all(open.map(({ client }) => client.destroy()));
  }

  return { run, close };
}

/** Deadlines are the exchange's own: the timers of undici start over with every byte, so a drip outlives them. */
const CLIENT_OPTIONS = {
  headersTimeout: 0,
  bodyTimeout: 0,
  maxHeaderSize: 16_384,
  keepAliveTimeout: 4_000,
  keepAliveMaxTimeout: 60_000,
  pipelining: 1,
} as const;

function discard(outcome: ConnectOutcome): void {
  if (outcome.kind === 'connected') outcome.socket.destroy();
}

function ignore(): void {
  // Closing a connection that nobody uses has no outcome to tell.
}
