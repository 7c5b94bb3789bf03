import { createSocket } from 'node:dgram';
import { onTestFinished } from 'vitest';
import { answerTo } from './zone-answers.ts';
import type { Zone } from './zone-answers.ts';

/** A name server on loopback (RFC 1035), closed after the test. Answers `address:port`. */
export async function serveNames(zone: Zone): Promise<string> {
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const answer = answerTo(query, zone);
    if (answer !== undefined) socket.send(answer, port, address);
  });
  await new Promise<void>((resolve) => {
    socket.bind(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => new Promise<void>((resolve) => socket.close(resolve)));
  return `127.0.0.1:${socket.address().port}`;
}

/** The place of a name server that is not there. */
export async function absentNameServer(): Promise<string> {
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => {
    socket.bind(0, '127.0.0.1', resolve);
  });
  const { port } = socket.address();
  await new Promise<void>((resolve) => socket.close(resolve));
  return `127.0.0.1:${port}`;
}
