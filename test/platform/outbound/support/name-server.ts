import { createSocket } from 'node:dgram';
import { onTestFinished } from 'vitest';

/** What a name server says: addresses in the question's family, no such name, a failure of its own, or nothing at all. */
export type Zone = Record<string, { a?: string[]; aaaa?: string[] } | 'unknown' | 'failing' | 'silent'>;

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

function answerTo(query: Buffer, zone: Zone): Buffer | undefined {
  const end = query.indexOf(0, 12);
  const labels: string[] = [];
  for (let at = 12; at < end; at += 1 + (query[at] ?? 0)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + (query[at] ?? 0)));
  }
  const entry = zone[labels.join('.').toLowerCase()] ?? 'unknown';
  if (entry === 'silent') return undefined;
  const isIPv6 = query.readUInt16BE(end + 1) === 28;
  const addresses = typeof entry === 'string' ? [] : ((isIPv6 ? entry.aaaa : entry.a) ?? []);
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(0x8180 | (entry === 'unknown' ? 3 : entry === 'failing' ? 2 : 0), 2);
  header.writeUInt16BE(addresses.length, 6);
  header.fill(0, 8);
  const records = addresses.map((address) => {
    const data = isIPv6 ? ipv6Bytes(address) : Buffer.from(address.split('.').map(Number));
    const record = Buffer.from([0xc0, 12, 0, isIPv6 ? 28 : 1, 0, 1, 0, 0, 0, 1, 0, data.length]);
    return Buffer.concat([record, data]);
  });
  return Buffer.concat([header, query.subarray(12, end + 5), ...records]);
}

function ipv6Bytes(full: string): Buffer {
  return Buffer.from(
    full
      .split(':')
      .map((word) => word.padStart(4, '0'))
      .join(''),
    'hex',
  );
}
