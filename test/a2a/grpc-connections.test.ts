import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { grpcConnections } from '../../src/a2a/grpc-connections.ts';
import type { GrpcConnections } from '../../src/a2a/grpc-connections.ts';

let connections: GrpcConnections | undefined;
afterEach(() => {
  connections?.stopListening();
  connections?.destroyAll();
});

/** A port that says `hello` to each connection, and where the first is known at once. */
async function open(limits: { connections: number; unknownMs: number }): Promise<() => Promise<Socket>> {
  let isFirst = true;
  const opened = grpcConnections((socket) => {
    if (isFirst) opened.know(socket);
    isFirst = false;
    socket.on('error', () => undefined);
    socket.on('data', (data) => socket.write(data));
    socket.write('hello');
  }, limits);
  connections = opened;
  const port = await opened.listen('127.0.0.1', 0);
  return async () => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'data');
    socket.resume();
    return socket;
  };
}

it('[S1.grpc] a connection on which nobody is known is closed, and one with a caller stays', async () => {
  const client = await open({ connections: 10, unknownMs: 30 });
  const known = await client();
  const stranger = await client();
  if (!stranger.closed) await once(stranger, 'close');
  known.write('still here');
  expect(String((await once(known, 'data'))[0])).toBe('still here');
  expect(connections?.count()).toBe(1);
});

it('[S1.grpc] of too many connections the oldest goes on which nobody is known, and a new one where there is none', async () => {
  const client = await open({ connections: 3, unknownMs: 3_600_000 });
  const [known, second, third] = [await client(), await client(), await client()];
  const fourth = await client();
  if (!second.closed) await once(second, 'close');
  expect([known, third, fourth].map(({ closed }) => closed)).toEqual([false, false, false]);
  expect(connections?.count()).toBe(3);
});
