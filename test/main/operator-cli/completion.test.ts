import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { agentProgram } from '../../../src/main/operator-cli/program.ts';
import { runAgentCommand } from '../support/cli.ts';

const TRY = `
try() {
  COMP_WORDS=(media-buy-agent "$@") COMP_CWORD=$# COMPREPLY=()
  _media_buy_agent
  echo "\${COMPREPLY[*]}"
}
`;

/** What bash offers for the last word of each line. */
async function offered(lines: readonly (readonly string[])[]): Promise<string[]> {
  const { stdout: script } = await runAgentCommand(['completion', 'bash'], {});
  const tries = lines.map((words) => `try ${words.map((word) => `'${word}'`).join(' ')}\n`).join('');
  const { stdout, stderr } = spawnSync('bash', ['--norc'], { input: script + TRY + tries, encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout.trimEnd().split('\n');
}

function allOf(command: Command, words: string[] = []): { words: string[]; command: Command }[] {
  return [{ words, command }, ...command.commands.flatMap((one) => allOf(one, [...words, one.name()]))];
}

it('bash is offered every command at its place, and every option of each', async () => {
  const places = allOf(agentProgram({ env: {}, write: () => undefined, writeError: () => undefined }));
  expect(places.length).toBeGreaterThan(90);
  const below = await offered(places.map(({ words }) => [...words, '']));
  const flags = await offered(places.map(({ words }) => [...words, '--']));
  for (const [i, { words, command }] of places.entries()) {
    const names = command.commands.map((one) => one.name());
    if (names.length > 0) expect([words, below[i]]).toEqual([words, names.join(' ')]);
    const longs = [...command.options.map(({ long }) => long), '--help'];
    expect([words, flags[i]]).toEqual([words, longs.join(' ')]);
  }
});

it('bash is offered the values that an option or argument is one of, and files where it may be anything', async () => {
  const lines = [
    ['tasks', 'list', '--state', 'inp'],
    ['keys', 'rotate', '--alg', ''],
    ['completion', ''],
    ['backup', '--to', ''],
    ['restore', '--json', 'keys', ''],
    ['buyers', 'keys', 'li'],
  ];
  expect(await offered(lines)).toEqual([
    'input-required',
    'ed25519 ecdsa-p256-sha256',
    'bash zsh fish',
    '',
    '',
    'list',
  ]);
});

it('each shell that is on this machine reads its script without a fault', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'completion-'));
  const read: string[] = [];
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { status, stdout } = await runAgentCommand(['completion', shell], {});
    expect([shell, status, stdout.includes('buys list')]).toEqual([shell, 0, true]);
    await writeFile(join(folder, shell), stdout);
    const { error, status: end } = spawnSync(shell, ['-n', join(folder, shell)]);
    if (error !== undefined) continue;
    expect([shell, end]).toEqual([shell, 0]);
    read.push(shell);
  }
  expect(read).toContain('bash');
  await rm(folder, { recursive: true });
  expect(await runAgentCommand(['completion', 'cmd'], {})).toMatchObject({ status: 2, stdout: '' });
});
