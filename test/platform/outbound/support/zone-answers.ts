/**
 * What a name server says: addresses in the question's family, texts (each in pieces), the name it is an alias of, no such
 * name, a failure of its own, or nothing at all.
 */
export type Zone = Record<
  string,
  { a?: string[]; aaaa?: string[]; txt?: string[][]; cname?: string } | 'unknown' | 'failing' | 'silent'
>;

/** What a name server with this zone sends back (RFC 1035); undefined where it says nothing. */
export function answerTo(query: Buffer, zone: Zone): Buffer | undefined {
  const end = query.indexOf(0, 12);
  const labels: string[] = [];
  for (let at = 12; at < end; at += 1 + (query[at] ?? 0)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + (query[at] ?? 0)));
  }
  const entry = zone[labels.join('.').toLowerCase()] ?? 'unknown';
  if (entry === 'silent') return undefined;
  const type = query.readUInt16BE(end + 1);
  const answers = typeof entry === 'string' ? [] : (READERS[type]?.(entry) ?? []);
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(0x8180 | (entry === 'unknown' ? 3 : entry === 'failing' ? 2 : 0), 2);
  header.writeUInt16BE(answers.length, 6);
  header.fill(0, 8);
  const records = answers.map((data) => {
    const record = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 1, 0, data.length]);
    return Buffer.concat([record, data]);
  });
  return Buffer.concat([header, query.subarray(12, end + 5), ...records]);
}

/** The data of an answer, at most 255 bytes, by the type that was asked for. */
const READERS: Readonly<Record<number, (entry: Exclude<Zone[string], string>) => Buffer[]>> = {
  1: ({ a = [] }) => a.map((address) => Buffer.from(address.split('.').map(Number))),
  5: ({ cname }) => (cname === undefined ? [] : [nameBytes(cname)]),
  16: ({ txt = [] }) => txt.map((pieces) => Buffer.concat(pieces.map((piece) => textBytes(piece)))),
  28: ({ aaaa = [] }) => aaaa.map(ipv6Bytes),
};

function textBytes(piece: string): Buffer {
  return Buffer.concat([Buffer.from([piece.length]), Buffer.from(piece, 'latin1')]);
}

function nameBytes(name: string): Buffer {
  return Buffer.concat([...name.split('.').map(textBytes), Buffer.from([0])]);
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
