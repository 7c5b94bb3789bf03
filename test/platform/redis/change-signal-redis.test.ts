import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createChangeSignal } from '../../../src/platform/redis/change-signal-redis.ts';
import { createLogger } from '../../../src/platform/log.ts';
import type { ChangeSignal } from '../../../src/platform/redis/change-signal.ts';
import { startOwnRedis } from '../../support/own-redis.ts';
import { until } from '../../support/until.ts';

const url = process.env['REDIS_TEST_URL'] ?? '';
const logger = createLogger('silent');
let prefix: string;
let closing: (() => Promise<void>)[];

beforeEach(() => {
  prefix = `test-${randomUUID()}`;
  closing = [];
});

afterEach(async () => {
  await Promise.all(closing.map((close) => close()));
});

it('is heard at once by everybody who listens to the topic, in every process, and by nobody else', async () => {
  const [one, other] = [open(), open()];
  const [a, b, c, elsewhere] = [notes(), notes(), notes(), notes()];
  await one.subscribe('task-1', a.hear);
  await one.subscribe('task-1', b.hear);
  await other.subscribe('task-1', c.hear);
  await other.subscribe('task-2', elsewhere.hear);
  await open().publish('task-1', '7');
  await until(() => a.rung().length === 1 && b.rung().length === 1 && c.rung().length === 1);
  await one.publish('task-2', '8');
  await until(() => elsewhere.rung().length === 1);
  expect([a.rung(), b.rung(), c.rung(), elsewhere.rung()]).toEqual([['7'], ['7'], ['7'], ['8']]);
});

it('is no longer heard after listening ended, while others still hear it and one may listen again', async () => {
  const changeSignal = open();
  const [leaving, staying, again] = [notes(), notes(), notes()];
  const leave = await changeSignal.subscribe('topic', leaving.hear);
  await changeSignal.subscribe('topic', staying.hear);
  leave();
  leave();
  await changeSignal.publish('topic', '1');
  await until(() => staying.rung().length === 1);
  const leaveAll = await changeSignal.subscribe('only', again.hear);
  leaveAll();
  await changeSignal.subscribe('only', again.hear);
  await changeSignal.publish('only', '2');
  await until(() => again.rung().length === 1);
  expect([leaving.rung(), again.rung()]).toEqual([[], ['2']]);
});

it('goes on for the others when one listener fails', async () => {
  const changeSignal = open();
  const heard = notes();
  await changeSignal.subscribe('topic', () => {
    throw new Error('broken');
  });
  await changeSignal.subscribe('topic', heard.hear);
  await changeSignal.publish('topic', '1');
  await until(() => heard.rung().length === 1);
});

it('tells everybody with an empty note to look again once Redis is back, and goes on', async () => {
  const redis = await startOwnRedis();
  closing.push(() => redis.stop());
  const changeSignal = open(redis.url);
  const heard = notes();
  await changeSignal.subscribe('topic', heard.hear);
  await redis.crash();
  await changeSignal.publish('topic', 'lost');
  const later = notes();
  await changeSignal.subscribe('new-topic', later.hear);
  await redis.resume();
  await until(() => heard.all().includes('') && later.all().includes(''));
  await changeSignal.publish('topic', 'found');
  await changeSignal.publish('new-topic', 'found');
  await until(() => heard.all().includes('found') && later.all().includes('found'));
});

it('neither publishes, subscribes nor closes for ever without Redis', async () => {
  const changeSignal = open('unix:///nonexistent/redis.sock');
  const heard = notes();
  const leave = await changeSignal.subscribe('topic', heard.hear);
  await changeSignal.publish('topic', 'lost');
  leave();
  await changeSignal.close();
  expect(heard.all()).toEqual([]);
});

function open(connection = url): ChangeSignal {
  const changeSignal = createChangeSignal({ connection, prefix, logger });
  closing.push(() => changeSignal.close());
  return changeSignal;
}

/** What a listener heard: `rung` without the empty notes that only say "look again". */
function notes(): { hear: (note: string) => void; all: () => string[]; rung: () => string[] } {
  const heard: string[] = [];
  return {
    hear: (note) => heard.push(note),
    all: () => heard,
    rung: () => heard.filter((note) => note !== ''),
  };
}
