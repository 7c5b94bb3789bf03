import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { INPUT_LIMITS } from '../src/platform/intake/input-limits.ts';

export interface WorstInput {
  what: string;
  path: string;
  headers?: Record<string, string>;
  /** Made anew each time: a message is its id and its content. */
  body: () => string | Uint8Array;
  /** The path is a method of gRPC, and the body its message. */
  isGrpc?: true;
}

const { a2aBodyBytes, propertyCheckBodyBytes, adagentsMembers } = INPUT_LIMITS;
const { allMembers, members, elements, values, depth, textBytes } = INPUT_LIMITS;

const V1 = { 'a2a-version': '1.0' };
const CHECK = '/api/properties/check';

/** For each limit the worst that it lets through, and the least that it does not. */
export function worstInputs(): WorstInput[] {
  return [
    rpc('members: 60,000 unknown keys at create_media_buy', () => call('create_media_buy', spread(60_000))),
    rpc('members: 60,000 unknown keys in updates', () =>
      call('update_media_buy', { media_buy_id: 'x', updates: spread(60_000) }),
    ),
    rpc('members: 13,000 keys of 63 characters', () => call('create_media_buy', spread(13_000, 63))),
    rpc(`members: ${members} unknown keys`, () => call('create_media_buy', spread(members))),
    rpc(`members: ${members} unknown keys of 63 characters`, () => call('create_media_buy', spread(members, 63))),
    rpc('members: 100 packages of 240 unknown keys', () =>
      call('create_media_buy', { packages: listOf(100, () => spread(240, 3)) }),
    ),
    rpc('members: 100 packages of 240 unknown keys, to update', () =>
      call('update_media_buy', { media_buy_id: 'x', updates: { packages: listOf(100, () => spread(240, 3)) } }),
    ),
    rpc(`elements: ${elements} packages that are numbers`, () =>
      call('create_media_buy', { packages: listOf(elements, () => 1) }),
    ),
    rpc(`elements: ${elements} packages that are empty`, () =>
      call('create_media_buy', { packages: listOf(elements, () => ({})) }),
    ),
    rpc('elements: 100 packages of 1,000 places each that are none', () =>
      call('create_media_buy', {
        packages: listOf(100, () => ({ targeting_overlay: { geo_countries: listOf(990, () => 1) } })),
      }),
    ),
    rpc(`elements: ${elements} creatives that are empty`, () =>
      call('sync_creatives', { creatives: listOf(elements, () => ({})) }),
    ),
    rpc('values: 100 creatives of 100 assets that are none', () =>
      call('sync_creatives', {
        creatives: listOf(100, (i) => ({ creative_id: `c${i}`, name: 'c', assets: spread(100, 3) })),
      }),
    ),
    rpc(`values: ${values} in a context`, () =>
      call('get_products', { brief: 'video', context: { a: grid(9, 9_000) } }),
    ),
    rpc(`values: ${values} in the metadata`, () => ({
      ...call('get_products', { brief: 'video' }),
      metadata: { a: grid(90, 900) },
    })),
    rpc('values: a million in lists', () => call('get_products', { brief: grid(40, 10_000) })),
    rpc(`depth: ${depth} levels`, () => call('get_products', { brief: 'video', context: levels(depth - 12) })),
    { ...rpc('depth: a million brackets', () => ({})), body: () => '['.repeat(a2aBodyBytes) },
    { ...rpc('bytes: white space', () => ({})), body: () => `{}${' '.repeat(a2aBodyBytes - 2)}` },
    rpc('text: the longest, in a brief', () => call('get_products', { brief: 'video '.repeat(textBytes / 6 - 1) })),
    rpc('text: the longest, pasted', () => ({ parts: [{ text: `{${'"a":1,'.repeat(100_000)}` }] })),
    rpc('text: escapes', () => ({ parts: [{ text: '\u0001'.repeat(textBytes / 6 - 1) }] })),
    rpc('parts: one hundred, of 9,000 characters', () => ({
      parts: listOf(100, () => ({ text: 'video '.repeat(1_500) })),
    })),
    { ...rpc('bytes: a gzip bomb', () => ({})), headers: { ...V1, 'content-encoding': 'gzip' }, body: () => bomb },
    check(
      'domains: 10,000',
      listOf(10_000, (i) => `www.d${i}.example`),
    ),
    check(
      'domains: 10,000 of as many www. as there is room for',
      listOf(10_000, (i) => `${'www.'.repeat(60)}x${i}.co.uk`),
    ),
    check(
      'domains: 10,000 of as many m. as there is room for',
      listOf(10_000, (i) => `${'m.'.repeat(120)}x${i}.co.uk`),
    ),
    check(
      'domains: 10,000 in letters of other scripts',
      listOf(10_000, (i) => `www.bücher-${i}.пример.example`),
    ),
    check(
      'domains: 10,000 URLs of 380 characters',
      listOf(10_000, (i) => `https://www.d${i}.example/${'x'.repeat(350)}`),
    ),
    check(
      'domains: 10,000 of many labels',
      listOf(10_000, (i) => `${'a.'.repeat(110)}d${i}.example`),
    ),
    check(
      'domains: 10,000 of 380 characters that are none',
      listOf(10_000, (i) => `${'x'.repeat(370)}${i}`),
    ),
    check('domains: one of 3.9 MB', ['x'.repeat(3_900_000)]),
    check(
      'domains: 1,900,000 numbers',
      listOf(1_900_000, () => 1),
    ),
    check(
      'domains: 10,000 numbers',
      listOf(10_000, () => 1),
    ),
    {
      what: 'depth: 3.9 million brackets at the property check',
      path: CHECK,
      body: () => '['.repeat(propertyCheckBodyBytes - 1),
    },
    {
      what: `members: ${adagentsMembers - 1_000} unknown keys in an adagents.json`,
      path: '/api/adagents/validate',
      body: () => {
        const authorized_agents = listOf(adagentsMembers / 1_000 - 1, (i) =>
          Object.fromEntries(listOf(1_000, (j) => [`k${i}_${j}`, 1])),
        );
        return JSON.stringify({ domain: 'p.example', file: { authorized_agents } });
      },
    },
    grpc('numbers: half a million empty parts', () => repeated([5], () => NO_BYTES)),
    grpc('numbers: half a million empty words', () => repeated([7], () => NO_BYTES)),
    grpc('numbers: half a million fields that nobody knows', () => repeated([15], () => NO_BYTES)),
    grpc('numbers: a part of data after data', () => repeated([6, 4, 5], () => NO_BYTES)),
    grpc('numbers: an object of 60,000 members', () => within([5, 4, 5], repeated([1], member))),
    grpc(`numbers: ${allMembers - 5_000} members in objects of 150`, () =>
      within([6, 4, 5], Buffer.concat(listOf((allMembers - 5_000) / 150, () => within([5, 1], objectOf(150))))),
    ),
    grpc('depth: 100,000 lists', () => within([...listOf(100_000, () => [1, 6]).flat(), 4, 5], NO_BYTES)),
  ];
}

const bomb = gzipSync(Buffer.alloc(500_000_000));

function rpc(what: string, message: () => object): WorstInput {
  return {
    what,
    path: '/a2a/jsonrpc',
    headers: V1,
    body: () =>
      JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'SendMessage',
        params: {
          message: { messageId: randomUUID(), role: 'ROLE_USER', ...message() },
          // No worker is here to do what is taken.
          configuration: { returnImmediately: true },
        },
      }),
  };
}

function check(what: string, domains: unknown[]): WorstInput {
  const body = JSON.stringify({ domains });
  return { what, path: CHECK, body: () => body };
}

function call(skill: string, input: object): object {
  return { parts: [{ data: { skill, input } }] };
}

function spread(count: number, length = 1): Record<string, number> {
  return Object.fromEntries(listOf(count, (i) => [`k${i}`.padEnd(length, 'x'), 1]));
}

function grid(rows: number, columns: number): number[][] {
  return listOf(rows, () => listOf(columns, () => 1));
}

function levels(count: number): unknown {
  return JSON.parse(`${'{"a":'.repeat(count)}1${'}'.repeat(count)}`);
}

function listOf<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => make(i));
}

const NO_BYTES = Buffer.alloc(0);

/** A message of A2A 1.0 over gRPC, whose fields are these. */
function grpc(what: string, message: () => Buffer): WorstInput {
  const head = () => [within([1], Buffer.from(randomUUID())), Buffer.from([4 << 3, 1])];
  return {
    what: `${what}, over gRPC`,
    path: '/lf.a2a.v1.A2AService/SendMessage',
    isGrpc: true,
    body: () => within([2], Buffer.concat([...head(), message()])),
  };
}

/** Protobuf: bytes in a field within a field and so on, from the innermost outwards. */
function within(fields: readonly number[], inner: Buffer): Buffer {
  const heads = [inner];
  let length = inner.length;
  for (const field of fields) {
    const head = [(field << 3) | 2];
    for (let rest = length; ; rest >>>= 7) {
      head.push(rest > 127 ? (rest & 127) | 128 : rest);
      if (rest <= 127) break;
    }
    heads.push(Buffer.from(head));
    length += head.length;
  }
  return Buffer.concat(heads.reverse());
}

/** As often as a message may be large. */
function repeated(fields: readonly number[], inner: (index: number) => Buffer): Buffer {
  const all: Buffer[] = [];
  for (let bytes = 0, i = 0; bytes < a2aBodyBytes - 10_000; i++) {
    const next = within(fields, inner(i));
    all.push(next);
    bytes += next.length;
  }
  return Buffer.concat(all);
}

/** A member of an object: a key, and a text for its value. */
function member(index: number): Buffer {
  return Buffer.concat([within([1], Buffer.from(`k${index}`)), within([3, 2], Buffer.from('word'))]);
}

function objectOf(count: number): Buffer {
  return Buffer.concat(listOf(count, (i) => within([1], member(i))));
}
