import { once } from 'node:events';
import { constants } from 'node:http2';
import { LegacyA2AService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { status } from '@grpc/grpc-js';
import type { ServiceDefinition } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { statusMessage } from '../../src/a2a/grpc-status.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { INPUT_LIMITS } from '../../src/platform/intake/input-limits.ts';
import { createUnfinishedBytes } from '../../src/platform/intake/unfinished-bytes.ts';
import { openAgent } from './support/open-agent.ts';
import type { Agent } from './support/open-agent.ts';
import { ended, grpcCaller, partOfMessage, rawCall, rawConnection } from './support/raw-grpc.ts';
import { invoke, rpcClient } from './support/rpc.ts';
import { TASKS } from './support/tasks.ts';
import { openBudgets } from '../support/open-budgets.ts';
import { until } from '../support/until.ts';

const SERVICES = [
  ['1.0', A2AService as unknown as ServiceDefinition],
  ['0.3', LegacyA2AService as unknown as ServiceDefinition],
] as const;
const GET_TASK = '/lf.a2a.v1.A2AService/GetTask';

let agent: Agent;
let key: string;
let port: number;
beforeAll(async () => {
  agent = await openAgent({ tasks: TASKS, grpc: true });
  key = await agent.newKey();
  port = Number(agent.grpcAddress.split(':')[1]);
});
afterAll(() => agent.close());

const withKey = () => ({ authorization: `Bearer ${key}` });

describe('[S1.grpc] before somebody is known', () => {
  it.each(SERVICES)('not a byte of a body beyond the window of HTTP/2 is taken, in %s', async (_wire, service) => {
    const [connections, streams, window] = [8, INPUT_LIMITS.grpcStreams, 65_535];
    const path = service['getTask']?.path ?? '';
    const body = partOfMessage(1_048_000, 1_040_000);
    const sessions = Array.from({ length: connections }, () => rawConnection(port));
    const calls = sessions.flatMap((session) =>
      Array.from({ length: streams }, () => {
        const call = rawCall(session, path);
        call.write(body);
        return ended(call);
      }),
    );
    for (const { status: code, message } of await Promise.all(calls)) {
      expect([code, decodeURI(message)]).toEqual([
        String(status.UNAUTHENTICATED),
        'send an API key or token as Authorization: Bearer <credential>',
      ]);
    }
    for (const session of sessions) {
      expect(session.socket.bytesWritten).toBeLessThan(streams * (window + 1000));
      session.destroy();
    }
  });

  it('a wrong credential and one that may not are told at once, though the message never comes', async () => {
    const session = rawConnection(port);
    const wrong = rawCall(session, GET_TASK, { authorization: 'Bearer mk_live_of_nobody_at_all_0123456789' });
    expect(await ended(wrong)).toMatchObject({ status: String(status.UNAUTHENTICATED) });
    session.destroy();
  });

  it('strangers make room for others when all connections are taken', async () => {
    const server = await agent.openGrpc({ limits: { connections: 2 } });
    const strangers = [rawConnection(server.port), rawConnection(server.port)];
    await until(() => server.connections() === 2);
    for (const stranger of strangers) {
      const known = rawConnection(server.port);
      const call = rawCall(known, GET_TASK, withKey());
      call.end(partOfMessage(0, 0));
      expect(await ended(call)).toMatchObject({ status: String(status.INVALID_ARGUMENT) });
      if (!stranger.closed) await once(stranger, 'close');
    }
    // Now everybody is known, and nobody has to go.
    const late = rawConnection(server.port);
    await once(late, 'close');
    expect(server.connections()).toBe(2);
  });
});

describe('[S1.grpc] a known caller', () => {
  it('is told how many calls a connection takes, and how long a head may be', async () => {
    const session = rawConnection(port);
    await once(session, 'remoteSettings');
    expect(session.remoteSettings).toMatchObject({ maxConcurrentStreams: 100, maxHeaderListSize: 16_384 });
    session.destroy();
  });

  it('has a hundred of 800 calls of a connection taken at once, the others as those end, and keeps no other caller out', async () => {
    const unfinished = createUnfinishedBytes({ clock: systemClock });
    const { port: one } = await agent.openGrpc({ unfinished });
    const session = rawConnection(one);
    await once(session, 'remoteSettings');
    const calls = Array.from({ length: 800 }, () => rawCall(session, GET_TASK, withKey()));
    const ends = calls.map((call) => {
      call.write(partOfMessage(2000, 1000));
      return ended(call);
    });
    const most = () => unfinished.held() < (INPUT_LIMITS.grpcStreams + 1) * 1000;
    await until(() => unfinished.held() >= INPUT_LIMITS.grpcStreams * 1000);
    const elsewhere = rawConnection(one);
    const other = rawCall(elsewhere, GET_TASK, { authorization: `Bearer ${await agent.newKey()}` });
    other.end(partOfMessage(0, 0));
    expect(await ended(other)).toMatchObject({ status: String(status.INVALID_ARGUMENT) });
    expect(most()).toBe(true);
    for (const call of calls) call.end(Buffer.alloc(1000, 97));
    const codes = (await Promise.all(ends)).map((end) => end.status);
    expect(new Set(codes)).toEqual(new Set([String(status.INVALID_ARGUMENT)]));
    await until(() => unfinished.held() === 0);
    session.destroy();
    elsewhere.destroy();
  });

  it('has a time for its message to come, after which nothing of it is kept', async () => {
    const unfinished = createUnfinishedBytes({ clock: systemClock });
    const { port: short } = await agent.openGrpc({ limits: { messageMs: 20 }, unfinished });
    const session = rawConnection(short);
    const call = rawCall(session, GET_TASK, withKey());
    call.write(partOfMessage(1_048_000, 40_000));
    expect(await ended(call)).toMatchObject({ status: String(status.DEADLINE_EXCEEDED) });
    await until(() => unfinished.held() === 0);
    session.destroy();
  });

  it('may have so many bytes of unfinished messages, and no more', async () => {
    const { budgets, close } = openBudgets({ sizes: { unfinished_bytes: 0.3 } });
    const unfinished = createUnfinishedBytes({ budgets, clock: systemClock });
    const { port: narrow } = await agent.openGrpc({ unfinished });
    const session = rawConnection(narrow);
    const calls = Array.from({ length: 4 }, () => rawCall(session, GET_TASK, withKey()));
    const ends = calls.map((call) => {
      call.write(partOfMessage(1_048_000, 100_000));
      return ended(call);
    });
    expect(await Promise.race(ends)).toMatchObject({ status: String(status.RESOURCE_EXHAUSTED) });
    expect(unfinished.held()).toBeLessThanOrEqual(300_000);
    session.destroy();
    await until(() => unfinished.held() === 0);
    await close();
  });

  it('is refused a message that is too large by its announcement alone', async () => {
    const session = rawConnection(port);
    const call = rawCall(session, GET_TASK, withKey());
    call.write(partOfMessage(INPUT_LIMITS.a2aBodyBytes + 1, 0));
    expect(await ended(call)).toMatchObject({ status: String(status.RESOURCE_EXHAUSTED) });
    session.destroy();
  });

  it('is asked for messages as they are, and cannot end the process by one that is not compressed as it says', async () => {
    const session = rawConnection(port);
    const call = rawCall(session, GET_TASK, { ...withKey(), 'grpc-encoding': 'gzip' });
    call.end(partOfMessage(4, 4, 1));
    expect(await ended(call)).toMatchObject({ status: String(status.UNIMPLEMENTED), acceptedEncodings: 'identity' });
    session.destroy();
  });

  it('cannot end the process by a reset of what is refused', async () => {
    const session = rawConnection(port);
    for (const headers of [{ 'content-type': 'text/plain' }, { ':path': '/none' }, { 'grpc-encoding': 'gzip' }, {}]) {
      const call = rawCall(session, GET_TASK, headers);
      call.close(constants.NGHTTP2_PROTOCOL_ERROR);
      await ended(call);
    }
    const good = rawCall(session, GET_TASK, withKey());
    good.end(partOfMessage(0, 0));
    expect(await ended(good)).toMatchObject({ status: String(status.INVALID_ARGUMENT) });
    session.destroy();
  });

  it.each(SERVICES)('subscribes again to a task whose stream was ended for its age, in %s', async (wire, service) => {
    const { port: short } = await agent.openGrpc({ limits: { streamMs: 20 } });
    const client = grpcCaller(service, short, key);
    const { result } = await rpcClient(agent.url, key, '1.0').call('SendMessage', {
      message: invoke('wait', {}),
      configuration: { returnImmediately: true },
    });
    const id = result.task.id;
    for (const _time of [1, 2]) {
      const [rpc, request] =
        wire === '1.0' ? ['subscribeToTask', { tenant: '', id }] : ['taskSubscription', { name: `tasks/${id}` }];
      const { events, ended: end } = client.stream(rpc, request);
      expect(await end).toMatchObject({
        code: status.UNAVAILABLE,
        details: expect.stringContaining('subscribe to the task again') as string,
      });
      expect(events).toHaveLength(1);
    }
    client.close();
  });
});

describe('[S1.grpc] a status', () => {
  const LONG = 'n'.repeat(70_000);

  it.each([
    ['getTask', { name: LONG, historyLength: 0 }],
    ['cancelTask', { name: LONG }],
    [
      'createTaskPushNotificationConfig',
      { parent: LONG, configId: 'c', config: { name: LONG, pushNotificationConfig: { id: '', url: '', token: '' } } },
    ],
    ['getTaskPushNotificationConfig', { name: LONG }],
    ['deleteTaskPushNotificationConfig', { name: LONG }],
  ])('repeats nothing of a name of 70,000 letters, and the connection goes on: %s in 0.3', async (rpc, request) => {
    const client = grpcCaller(LegacyA2AService, port, key);
    const refused = await client.call(rpc, request);
    expect(refused).toMatchObject({ code: status.INVALID_ARGUMENT });
    expect(refused?.details).not.toContain('nnn');
    expect(await client.call('getTask', { name: 'tasks/none', historyLength: 0 })).toMatchObject({
      code: status.NOT_FOUND,
    });
    client.close();
  });

  it.each(SERVICES)(
    'repeats nothing of a version, a deadline, or a method that there is not, in %s',
    async (_wire, service) => {
      const client = grpcCaller(service, port, key);
      const version = await client.call(
        'getTask',
        { id: 'x', name: 'tasks/x', tenant: '', historyLength: 0 },
        { 'a2a-version': 'v'.repeat(9000) },
      );
      expect(version).toMatchObject({ code: status.UNIMPLEMENTED });
      expect(version?.details).not.toContain('vvv');
      client.close();
      const session = rawConnection(port);
      const [path = ''] = Object.values(service).map((method) => method.path);
      for (const [asked, headers, code] of [
        [`/${'v'.repeat(9000)}/GetTask`, withKey(), status.UNIMPLEMENTED],
        [path, { ...withKey(), 'grpc-timeout': 'v'.repeat(9000) }, status.INVALID_ARGUMENT],
        [path, { ...withKey(), 'grpc-encoding': 'v'.repeat(9000) }, status.UNIMPLEMENTED],
      ] as const) {
        const { status: told, message } = await ended(rawCall(session, asked, headers));
        expect([told, message.includes('vvv'), message.length <= 1024]).toEqual([String(code), false, true]);
      }
      session.destroy();
    },
  );

  it('is a kibibyte at most as it is percent-encoded, whatever is in it', () => {
    for (const text of [
      'ü'.repeat(5000),
      'a b'.repeat(5000),
      '😀'.repeat(500),
      '%'.repeat(2000),
      `${'x'.repeat(900)}\ud800`,
    ]) {
      const message = statusMessage(text);
      expect(encodeURI(message).length).toBeLessThanOrEqual(1024);
    }
    expect(statusMessage('as it is')).toBe('as it is');
  });
});
