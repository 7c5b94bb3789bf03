import { once } from 'node:events';
import { expect, it } from 'vitest';
import { within } from '../../src/platform/within.ts';
import { holdUp } from './support/hold-up.ts';

const never = new Promise<string>(() => undefined);
const A_MINUTE = 60_000;

it('settles as the work does that is in time', async () => {
  expect(await within(A_MINUTE, Promise.resolve('done'), () => 'late')).toBe('done');
  await expect(within(A_MINUTE, Promise.reject(new Error('broken')), () => 'late')).rejects.toThrow('broken');
});

it('does for work that is late what was said for that', async () => {
  expect(await within(1, never, () => 'late')).toBe('late');
  const giveUp = () => {
    throw new Error('no answer');
  };
  await expect(within(1, never, giveUp)).rejects.toThrow('no answer');
});

it('takes what came in time for a process that stood still until it was over', async () => {
  const { port1, port2 } = new MessageChannel();
  const work = once(port1, 'message').then(() => 'done');
  // Of a loop that goes on from here the timers are first.
  await new Promise(setImmediate);
  const settled = within(10, work, () => 'late');
  port2.postMessage('');
  holdUp(50);
  expect(await settled).toBe('done');
  port1.close();
});

it('gives back what its process stood still, once, as much as there was at first', async () => {
  await new Promise(setImmediate);
  const soon = new Promise<string>((resolve) => {
    setImmediate(() => setTimeout(resolve, 50, 'done'));
  });
  const [settled, over] = [within(200, soon, () => 'late'), within(200, never, () => 'late')];
  holdUp(500);
  expect(await settled).toBe('done');
  expect(await over).toBe('late');
});

it('work that fails after it was given up troubles nobody', async () => {
  let fail: (error: Error) => void = () => undefined;
  const work = new Promise<string>((_, reject) => {
    fail = reject;
  });
  expect(await within(1, work, () => 'late')).toBe('late');
  fail(new Error('too late'));
  // An unhandled rejection would fail this file.
  await new Promise(setImmediate);
});
