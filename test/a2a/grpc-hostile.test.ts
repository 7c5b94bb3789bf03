import { LegacyA2AService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { credentials, makeGenericClientConstructor, Metadata } from '@grpc/grpc-js';
import type { ServiceDefinition, ServiceError } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkDecoded, decodingSafely } from '../../src/a2a/grpc-decoding.ts';
import { INPUT_LIMITS } from '../../src/platform/intake/input-limits.ts';
import { openAgent } from './support/open-agent.ts';
import type { Agent } from './support/open-agent.ts';
import { TASKS } from './support/tasks.ts';

/** `dataPath`: the fields around the data of a message's part, from the innermost outwards; `parts`: those around a part. */
const SERVICES = [
  { name: 'gRPC 1.0', service: A2AService as unknown as ServiceDefinition, dataPath: [4, 5, 2], parts: [5, 2] },
  {
    name: 'gRPC 0.3',
    service: LegacyA2AService as unknown as ServiceDefinition,
    dataPath: [2, 1, 1, 3, 5, 1],
    parts: [5, 1],
  },
];

/** Protobuf on the wire: nothing, a field nobody knows, a text where a message belongs, no text at all, and an empty message. */
const BYTES = ['', 'fa7f0161', '0a03616263', '0a02c3ff', '0a00', '1200', 'ff'].map((hex) => Buffer.from(hex, 'hex'));
const OURS = new Set([3, 5, 7, 9, 12]);

/** A protobuf message of one field within another of one field, and so on, from the innermost outwards. */
function nested(fields: readonly number[], inner = Buffer.alloc(0)): Buffer {
  const heads: Buffer[] = [inner];
  let length = inner.length;
  for (const field of fields) {
    const head = [(field << 3) | 2];
    let rest = length;
    for (; rest > 127; rest >>>= 7) head.push((rest & 127) | 128);
    head.push(rest);
    heads.push(Buffer.from(head));
    length += head.length;
  }
  return Buffer.concat(heads.reverse());
}

/** Lists within lists: each is a `Value` (field 6) of a `ListValue` (field 1). */
const lists = (levels: number) => Array.from({ length: levels }, () => [1, 6]).flat();

describe.each(SERVICES)('over $name', ({ service, dataPath, parts }) => {
  let agent: Agent;
  let key: string;
  beforeAll(async () => {
    agent = await openAgent({ tasks: TASKS, grpc: true });
    key = await agent.newKey();
  });
  afterAll(() => agent.close());

  function ask(rpc: string, bytes: Buffer): Promise<ServiceError | undefined> {
    const { path = '', responseStream, responseDeserialize } = service[rpc] ?? {};
    if (responseDeserialize === undefined) throw new Error(`no rpc ${rpc}`);
    const Client = makeGenericClientConstructor(service, 'client');
    const client = new Client(agent.grpcAddress, credentials.createInsecure());
    const metadata = new Metadata();
    metadata.set('authorization', `Bearer ${key}`);
    return new Promise<ServiceError | undefined>((resolve) => {
      const answered = (error: ServiceError | null) => {
        resolve(error ?? undefined);
      };
      const same = (value: Buffer) => value;
      if (responseStream === true) {
        const stream = client.makeServerStreamRequest(path, same, responseDeserialize, bytes, metadata);
        stream.on('data', () => undefined).on('error', answered);
        stream.on('end', () => {
          answered(null);
        });
      } else client.makeUnaryRequest(path, same, responseDeserialize, bytes, metadata, answered);
    }).finally(() => {
      client.close();
    });
  }

  it.each(Object.keys(service))('%s answers nothing internal, whatever it is sent', async (rpc) => {
    for (const bytes of BYTES) {
      const error = await ask(rpc, bytes);
      if (error === undefined) continue;
      expect([rpc, bytes.toString('hex'), error.details, OURS.has(error.code)]).toEqual([
        rpc,
        bytes.toString('hex'),
        error.details,
        true,
      ]);
      expect(error.details).not.toMatch(/node_modules|\/src\/|Cannot read|is not a function|undefined/);
    }
  });

  it.each([100, 100_000])('refuses data that nests %d levels deep, as over HTTP', async (levels) => {
    expect(await ask('sendMessage', nested([...lists(levels), ...dataPath]))).toMatchObject({
      code: 3,
      details: 'the body nests deeper than 64 levels',
    });
  });

  const { protobufNumbers } = INPUT_LIMITS;
  it.each([
    ['empty parts', undefined],
    ['fields that nobody knows', 15],
  ])('[S1] gives up in the middle of a message of half a million %s', async (_what, field) => {
    const [part = 0, message = 0] = parts;
    const many = Buffer.alloc(1_040_000, Buffer.from([((field ?? part) << 3) | 2, 0]));
    expect(await ask('sendMessage', nested([message], many))).toMatchObject({
      code: 3,
      details: `the message holds more than ${protobufNumbers} fields, lengths and whole numbers`,
    });
  });

  it('[S1] takes a full list of creatives, as many as over HTTP', () => {
    const entry = (i: number) => [nested([1], Buffer.from(`k${i}`)), nested([3, 2], Buffer.from('some words'))];
    const creative = Buffer.concat(Array.from({ length: 150 }, (_, i) => nested([1], Buffer.concat(entry(i)))));
    const creatives = Buffer.concat(Array.from({ length: 100 }, () => nested([5, 1], creative)));
    const { requestDeserialize } = decodingSafely(service)['sendMessage'] ?? {};
    const request: unknown = requestDeserialize?.(nested([6, ...dataPath], creatives));
    expect(() => {
      checkDecoded(request);
    }).not.toThrow();
    expect(JSON.stringify(request).split('some words')).toHaveLength(15_001);
  });

  it('refuses a text that stores would change, as over HTTP', async () => {
    expect(await ask('sendMessage', nested([3, ...dataPath], Buffer.from('a\0b')))).toMatchObject({
      code: 3,
      details: expect.stringContaining('U+0000') as string,
    });
  });
});
