import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AppError } from '../../src/platform/errors.ts';
import { partsTaken } from '../../src/a2a/output-modes.ts';
import { openAgent } from './support/open-agent.ts';
import type { Agent } from './support/open-agent.ts';
import { invoke, invoke03, rpcClient } from './support/rpc.ts';
import type { WireTask } from './support/rpc.ts';
import { allEvents } from './support/sse.ts';
import { TASKS } from './support/tasks.ts';

const FILE = { url: 'https://x.example/plan', media_type: 'application/pdf' };
const PARTS = [{ text: 'two' }, { data: 2 }, FILE, { raw: 'AA==' }];

describe('the parts that a client takes', () => {
  it.each([
    [['application/json'], [1, 3]],
    [['TEXT/Plain; charset=utf-8'], [0, 3]],
    [
      ['text/*', 'image/png'],
      [0, 3],
    ],
    [['application/*'], [1, 2, 3]],
    [
      ['image/png', '*/*'],
      [0, 1, 2, 3],
    ],
    [['text'], [0, 3]],
  ])('%j: by their media type, and files that do not say', (modes, kept) => {
    expect(partsTaken(modes)?.(PARTS)).toEqual(kept.map((i) => PARTS[i]));
  });

  it('are all where it says nothing, or where it would be told nothing', () => {
    expect(partsTaken(undefined)).toBeUndefined();
    expect(partsTaken([])).toBeUndefined();
    expect(partsTaken(['application/json'])?.([{ text: 'only text' }])).toEqual([{ text: 'only text' }]);
  });

  it.each([[['image/png']], [['text/html', 'audio/*']], [['']], ['text/plain'], [[5]]])('%j is refused', (modes) => {
    expect(() => partsTaken(modes)).toThrow(AppError);
  });
});

describe('acceptedOutputModes', () => {
  let agent: Agent;
  let key: string;
  beforeAll(async () => {
    agent = await openAgent({ tasks: TASKS });
    key = await agent.newKey();
  });
  afterAll(() => agent.close());

  const kinds = ({ artifacts }: Pick<WireTask, 'artifacts'>) =>
    artifacts.flatMap(({ parts }) => parts.map((part) => (part.text === undefined ? 'data' : 'text')));

  it.each([
    [['application/json'], ['data']],
    [['text/plain'], ['text']],
    [[], ['text', 'data']],
  ])(
    '%j tailors what is answered, in both generations and in streams, and nothing that is read later',
    async (acceptedOutputModes, wanted) => {
      const configuration = { acceptedOutputModes };
      const [modern, legacy] = [rpcClient(agent.url, key, '1.0'), rpcClient(agent.url, key, '0.3')];
      const message = invoke('echo', { say: 'hello' });
      const { task } = (await modern.call('SendMessage', { message, configuration })).result;
      expect(kinds(task)).toEqual(wanted);
      const message03 = invoke03('echo', { say: 'hello' });
      expect(kinds((await legacy.call('message/send', { message: message03, configuration })).result)).toEqual(wanted);
      const response = await fetch(`${agent.url}/a2a/rest/message:stream`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` },
        body: JSON.stringify({ message: invoke('build', { thing: 'house' }), configuration }),
      });
      const events = (await allEvents(response)).map(
        ({ data }) => data as { artifactUpdate?: { artifact: WireTask['artifacts'][0] } },
      );
      const artifacts = events.flatMap(({ artifactUpdate }) => artifactUpdate?.artifact ?? []);
      expect(kinds({ artifacts })).toEqual(wanted);
      expect(kinds((await modern.call('GetTask', { id: task.id })).result)).toEqual(['text', 'data']);
    },
  );

  it('that hold nothing we have are refused by name, and nothing is begun', async () => {
    const params = {
      message: invoke('build', { thing: 'house' }),
      configuration: { acceptedOutputModes: ['image/png'] },
    };
    const begun = async () =>
      (await rpcClient(agent.url, key, '1.0').call('ListTasks', {})).result as unknown as { totalSize: number };
    const before = await begun();
    const { error } = await rpcClient(agent.url, key, '1.0').call('SendMessage', params);
    expect(error).toMatchObject({
      code: -32005,
      message: expect.stringContaining('text/plain and application/json') as string,
    });
    const legacy = {
      message: invoke03('build', { thing: 'house' }),
      configuration: { acceptedOutputModes: ['video/mp4'] },
    };
    expect((await rpcClient(agent.url, key, '0.3').call('message/stream', legacy)).error.code).toBe(-32005);
    expect((await begun()).totalSize).toBe(before.totalSize);
  });
});
