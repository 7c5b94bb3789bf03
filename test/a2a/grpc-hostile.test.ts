import { LegacyA2AService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { credentials, makeGenericClientConstructor, Metadata } from '@grpc/grpc-js';
import type { ServiceDefinition, ServiceError } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAgent } from './support/open-agent.ts';
import type { Agent } from './support/open-agent.ts';
import { TASKS } from './support/tasks.ts';

const SERVICES = [
  { name: 'gRPC 1.0', service: A2AService as unknown as ServiceDefinition },
  { name: 'gRPC 0.3', service: LegacyA2AService as unknown as ServiceDefinition },
];

/** Protobuf on the wire: nothing, a field nobody knows, a text where a message belongs, no text at all, and an empty message. */
const BYTES = ['', 'fa7f0161', '0a03616263', '0a02c3ff', '0a00', '1200', 'ff'].map((hex) => Buffer.from(hex, 'hex'));
const OURS = new Set([3, 5, 7, 9, 12, 13]);

describe.each(SERVICES)('over $name', ({ service }) => {
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
});
