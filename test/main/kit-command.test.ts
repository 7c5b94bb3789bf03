import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runKitCommand } from '../../src/main/kit-command.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { serveSimulator, TOKEN } from '../adservers/kit/support/bridged-subject.ts';

let served: Awaited<ReturnType<typeof serveSimulator>>;
beforeAll(async () => {
  served = await serveSimulator(systemClock, 'together');
});
afterAll(() => served.close());

describe('npm run ad-server:kit', () => {
  it('runs what needs no staging at the ad server, and names and counts what it skips', async () => {
    const { code, out } = await run('--url', served.url, '--token', TOKEN);
    expect(out.at(0)).toBe(`simulator at ${served.url}`);
    expect(out.filter((line) => line.startsWith('pass '))).toHaveLength(19);
    expect(out.filter((line) => line.startsWith('skip '))).toHaveLength(21);
    expect(out.find((line) => line.startsWith('skip 12 '))).toContain('the world has no stopBeforeWrite');
    expect(out.at(-1)).toMatch(/^40 cases: 19 passed, failed 0, skipped 21 \(8, 9, 12,/);
    expect(code).toBe(0);
  });

  it('steers the simulator with --control', async () => {
    const { code, out } = await run(
      '--url',
      `${served.url}/`,
      '--token',
      TOKEN,
      '--control',
      '--only',
      '12,20,25,37,39',
    );
    expect(out.at(-1)).toBe('5 cases: 5 passed, failed 0, skipped 0');
    expect(code).toBe(0);
    // A second run finds the time that the first one has left behind.
    expect((await run('--url', served.url, '--token', TOKEN, '--control', '--only', '25,37')).code).toBe(0);
  });

  it('tells what failed, by which rule, and exits with 1', async () => {
    await served.simulator.controls.take({ refuse: { reasons: [{ code: 'other', pointer: '', message: 'no' }] } });
    const { code, out } = await run('--url', served.url, '--token', TOKEN, '--only', '1,7');
    await served.simulator.controls.take({ reset: true });
    expect(out.find((line) => line.startsWith('pass 1 '))).toBeDefined();
    expect(out.find((line) => line.startsWith('     port: expected version 1 to be done'))).toBeDefined();
    expect(out.at(-1)).toBe('2 cases: 1 passed, failed 1 (7), skipped 0');
    expect(code).toBe(1);
  });

  it('exits with 1 where nothing answers or the token is wrong, without saying the token', async () => {
    const wrong = await run('--url', served.url, '--token', 'wrong-token_987');
    expect([wrong.code, wrong.out]).toEqual([1, []]);
    expect(wrong.errors).toMatch(/401/);
    expect(wrong.errors).not.toContain('wrong-token_987');
    expect((await run('--url', 'http://127.0.0.1:1', '--token', TOKEN)).code).toBe(1);
  });

  it('exits with 2 and says how it is called for a wrong command line', async () => {
    for (const args of [[], ['--url', 'nowhere', '--token', 't'], ['--url', served.url], ['--only', 'x'], ['--what']]) {
      const { code, errors } = await run(...args);
      expect([code, errors.includes('usage: npm run ad-server:kit')]).toEqual([2, true]);
    }
    expect((await run('--help')).code).toBe(0);
  });
});

async function run(...args: string[]): Promise<{ code: number; out: string[]; errors: string }> {
  let [written, errors] = ['', ''];
  const code = await runKitCommand(args, {
    write: (text) => (written += text),
    writeError: (text) => (errors += text),
  });
  return { code, out: written.split('\n').filter((line) => line !== ''), errors };
}
