import { expect, it } from 'vitest';
import { createSparingLog } from '../../src/platform/sparing-log.ts';

it('one line a minute is logged for a cause, whatever its numbers, and says how many were not', () => {
  let nowMs = 0;
  const lines: string[] = [];
  const log = createSparingLog(() => nowMs);
  const say = (cause: string) => {
    log(cause, (repeated) => lines.push(`${cause} +${repeated}`));
  };
  for (let n = 0; n < 10_000; n++) {
    say(`MOVED ${n} 127.0.0.1:${7000 + (n % 3)}`);
    if (n % 5_000 === 0) say('LOADING');
  }
  nowMs = 59_999;
  say('LOADING');
  expect(lines).toEqual(['MOVED 0 127.0.0.1:7000 +0', 'LOADING +0']);
  nowMs = 60_000;
  say('MOVED 5 127.0.0.1:7001');
  say('LOADING');
  expect(lines.slice(2)).toEqual(['MOVED 5 127.0.0.1:7001 +9999', 'LOADING +2']);
});

it('of more causes than are remembered the oldest is forgotten', () => {
  const lines: string[] = [];
  const log = createSparingLog(() => 0);
  const causes = Array.from({ length: 150 }, (_, n) => `cause ${'x'.repeat(n)}`);
  for (const cause of causes) log(cause, () => lines.push(cause));
  log(causes[149] ?? '', () => lines.push('again'));
  expect(lines).toEqual(causes);
  log(causes[0] ?? '', () => lines.push('again'));
  expect(lines).toHaveLength(151);
});
