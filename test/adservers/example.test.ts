import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { runKitCommand } from '../../src/main/kit-command.ts';
import { TOKEN } from './http/support/bridge.ts';

const EXAMPLE = fileURLToPath(new URL('../../examples/ad-server.mjs', import.meta.url));

it('the ad server of examples, written from docs/adapters.md, keeps to all that can be asked of it over the bridge', async () => {
  const env = { PATH: process.env['PATH'] ?? '', AD_SERVER_TOKEN: TOKEN, PORT: '0' };
  const example = spawn(process.execPath, [EXAMPLE], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(async () => {
    const gone = once(example, 'close');
    example.kill();
    await gone;
  });
  const [line] = (await once(example.stdout.setEncoding('utf8'), 'data')) as [string];
  const out: string[] = [];
  const write = (text: string) => void out.push(text);
  const code = await runKitCommand(['--url', line.trim(), '--token', TOKEN], { write, writeError: write });
  expect(out.filter((text) => text.startsWith('FAIL'))).toEqual([]);
  expect([code, out.filter((text) => text.startsWith('pass'))]).toEqual([0, expect.objectContaining({ length: 19 })]);
});
