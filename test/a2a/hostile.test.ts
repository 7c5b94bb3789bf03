import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { INTERNAL } from './support/leaks.ts';
import { openAgent } from './support/open-agent.ts';
import type { Agent } from './support/open-agent.ts';
import { invoke, rpcClient } from './support/rpc.ts';
import { databaseOf } from './support/stores.ts';
import { describeOnStores } from '../support/stores.ts';
import { TASKS } from './support/tasks.ts';

const rpc = (params: string) => `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":${params}}`;
const message = (part: string, more = '') =>
  rpc(`{"message":{"messageId":"${randomUUID()}","role":"ROLE_USER","parts":[${part}]${more}}}`);
const data = (text: string) => message(`{"data":{"skill":"echo","input":${text}}}`);
const huge = 'x'.repeat(700_000);

const BODIES: readonly (readonly [what: string, body: string | Buffer, code?: number])[] = [
  ['an empty batch', '[]', -32600],
  ['a batch', `[${rpc('{}')},${rpc('{}')}]`, -32600],
  ['a batch of thousands', `[${Array.from({ length: 5000 }, () => '1').join(',')}]`, -32600],
  ['a hundred thousand brackets', '['.repeat(100_000), -32600],
  ['a hundred thousand closed brackets', '['.repeat(100_000) + ']'.repeat(100_000), -32600],
  ['a hundred thousand objects', '{"a":'.repeat(100_000), -32600],
  ['deep params', data('['.repeat(70) + ']'.repeat(70)), -32600],
  ['brackets in a text', message(`{"text":"${'['.repeat(100_000)}"}`)],
  ['an id that is an object', '{"jsonrpc":"2.0","id":{"a":1},"method":"GetTask"}', -32600],
  ['an id that is a list', '{"jsonrpc":"2.0","id":[1],"method":"GetTask"}', -32600],
  ['an id that is a fraction', '{"jsonrpc":"2.0","id":1.5,"method":"GetTask"}', -32600],
  ['an id that is true', '{"jsonrpc":"2.0","id":true,"method":"GetTask"}', -32600],
  ['an id beyond numbers', '{"jsonrpc":"2.0","id":1e999,"method":"GetTask"}', -32600],
  ['a huge id', `{"jsonrpc":"2.0","id":"${huge}","method":"GetTask"}`, -32602],
  ['a huge method', `{"jsonrpc":"2.0","id":1,"method":"${huge}"}`, -32601],
  ['a huge text', message(`{"text":"${huge}","mediaType":"text/plain"}`), -32602],
  ['a text larger than any', message(`{"text":"${huge}${'x'.repeat(200_000)}"}`), -32600],
  ['a thousand members', data(`{${Array.from({ length: 1001 }, (_, i) => `"k${i}":1`).join(',')}}`), -32600],
  [
    'lists of lists of lists',
    data(`{"say":[${Array.from({ length: 300 }, () => `[${'1,'.repeat(400)}1]`).join(',')}]}`),
    -32600,
  ],
  ['a huge message id', rpc(`{"message":{"messageId":"${huge}","role":"ROLE_USER","parts":[{"text":"x"}]}}`), -32602],
  ['a huge key', data(`{"${huge}":1}`), -32602],
  ['a huge context', message('{"text":"x"}', `,"contextId":"${huge}"`), -32602],
  ['thousands of parts', message(Array.from({ length: 9000 }, () => '{"text":"x"}').join(',')), -32602],
  ['the same key twice, the last one wrong', '{"jsonrpc":"2.0","jsonrpc":"1.0","id":1,"method":"GetTask"}', -32600],
  [
    'bytes that are no UTF-8',
    Buffer.concat([Buffer.from('{"jsonrpc":"'), Buffer.from([0xff, 0xc0]), Buffer.from('"}')]),
    -32700,
  ],
  ['an overlong slash', Buffer.from(data('{"say":"'), 'utf8').subarray(0, 40), -32700],
  ['UTF-16', Buffer.from(rpc('{}'), 'utf16le'), -32700],
  ['a byte order mark', `\ufeff${rpc('{}')}`, -32700],
  ['half a surrogate pair', data('{"say":"\\ud800"}'), -32600],
  ['the other half as a key', data('{"\\uDC00":1}'), -32600],
  ['a whole pair', data('{"say":"\\ud83d\\ude00"}')],
  ['U+0000', data('{"say":"a\\u0000b"}'), -32600],
  ['a prototype', data('{"__proto__":{"polluted":true},"say":"x"}'), -32602],
  ['a prototype at the top', '{"__proto__":{"polluted":true},"jsonrpc":"2.0","id":1,"method":"GetTask"}', -32602],
  ['a prototype in the metadata', message('{"text":"x"}', ',"metadata":{"__proto__":{"polluted":true}}')],
  ['a constructor', data('{"constructor":{"prototype":{"polluted":true}}}'), -32602],
  ['operators of a store', message('{"text":"x"}', ',"metadata":{"$where":"1","a.b":{"$gt":""}}')],
  ['a method of objects', '{"jsonrpc":"2.0","id":1,"method":"hasOwnProperty"}', -32601],
  ['the prototype as a method', '{"jsonrpc":"2.0","id":1,"method":"__proto__"}', -32601],
  ['numbers beyond all', data('{"say":1e999}'), -32602],
  ['NaN', data('NaN'), -32700],
  ['a comment', `/* hi */${rpc('{}')}`, -32700],
  ['two documents', rpc('{}') + rpc('{}'), -32700],
];

describeOnStores('on %s', (store) => {
  const mongodbUrl = databaseOf(store);
  let agent: Agent;
  let key: string;
  beforeAll(async () => {
    agent = await openAgent({ tasks: TASKS, mongodbUrl });
    key = await agent.newKey();
  });
  afterAll(() => agent.close());

  async function post(path: string, body: string | Buffer, headers: Record<string, string> = {}) {
    const response = await fetch(agent.url + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key}`, ...headers },
      body,
    });
    const text = await response.text();
    expect(text).not.toMatch(INTERNAL);
    expect(response.status).toBeLessThan(500);
    return JSON.parse(text) as { error?: { code: number } };
  }

  it.each(BODIES.map(([what, body, code]) => ({ what, body, code })))(
    'is not shaken by $what',
    async ({ body, code }) => {
      const answer = await post('/a2a/jsonrpc', body, { 'A2A-Version': '1.0' });
      expect(answer.error?.code).toBe(code);
      await post('/a2a/jsonrpc', body);
      await post('/a2a/rest/message:send', body);
      await post('/a2a/rest/v1/message:send', body);
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    },
  );

  it('keeps every text that it takes as it was sent', async () => {
    const client = rpcClient(agent.url, key, '1.0');
    const sent = { messageId: `${randomUUID()} \u{1f600} é \u2028 " \\ $ .`, contextId: `c \u{10ffff} ' ; --` };
    const metadata = { 'a.b': 1, $where: 'x', '': 'empty', ' ': null };
    const { result } = await client.call('SendMessage', {
      message: { ...invoke('echo', { say: 'x' }), ...sent, metadata },
    });
    const read = (await client.call('GetTask', { id: result.task.id })).result;
    expect(read.history[0]).toMatchObject({ ...sent, metadata });
    expect((await client.call('ListTasks', { contextId: sent.contextId })).result).toMatchObject({ totalSize: 1 });
  });

  it('reads compressed bodies, up to the limit after decompression', async () => {
    const headers = { 'A2A-Version': '1.0', 'Content-Encoding': 'gzip' };
    expect(await post('/a2a/jsonrpc', gzipSync(data('{"say":"x"}')), headers)).toHaveProperty('result');
    expect((await post('/a2a/jsonrpc', gzipSync('x'.repeat(2_000_000)), headers)).error?.code).toBe(-32600);
    expect((await post('/a2a/jsonrpc', 'no gzip', headers)).error?.code).toBe(-32700);
  });
});
