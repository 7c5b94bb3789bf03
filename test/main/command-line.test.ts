import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { CLI_FILE, cliText } from '../../scripts/write-cli.ts';
import { projectRoot } from '../support/project-files.ts';
import { runAgentCommand } from './support/cli.ts';

const { entryOf } = (await import(pathToFileURL(join(projectRoot, 'bin/entry-of.mjs')).href)) as {
  entryOf: (args: readonly string[]) => { name: string; args: readonly string[] };
};

it('the help of every command is what docs/cli.md says, in 80 columns', async () => {
  const text = await cliText();
  expect(text).toBe(await readFile(CLI_FILE, 'utf8'));
  const helps = [...text.matchAll(/```text\n([^]*?)```/g)].flatMap(([, help = '']) => help.split('\n'));
  expect(helps.length).toBeGreaterThan(500);
  expect(helps.filter((line) => line.length > 80)).toEqual([]);
});

it('what runs until it is stopped goes alone on the command line, and its help starts nothing', async () => {
  const help = await runAgentCommand(['start', '--help'], {});
  expect(help).toMatchObject({ status: 0, stdout: expect.stringContaining('Run server and worker') as string });
  expect(await runAgentCommand(['worker', 'now'], {})).toMatchObject({ status: 2, stdout: '' });
});

it('a name alone is a program, listen with its options, and anything else the command line', () => {
  expect(entryOf(['start'])).toEqual({ name: 'start', args: [] });
  expect(entryOf(['listen', '--port', '0'])).toEqual({ name: 'receiver', args: ['--port', '0'] });
  for (const args of [[], ['start', '--help'], ['listen', '-h'], ['status', '--json']]) {
    expect(entryOf(args)).toEqual({ name: 'agent', args });
  }
});

it('an agent that does not answer is exit status 3, for people and as JSON', async () => {
  // Nobody listens at port 1, which is for those who may.
  const at = ['--url', 'http://127.0.0.1:1', '--key', 'k'.repeat(40)];
  const told = 'http://127.0.0.1:1 does not answer; is the agent running?';
  expect(await runAgentCommand(['status', ...at], {})).toEqual({ status: 3, stdout: '', stderr: `${told}\n` });
  const { status, stdout } = await runAgentCommand(['status', ...at, '--json'], {});
  expect([status, JSON.parse(stdout)]).toEqual([3, { error: { message: told } }]);
  expect(await runAgentCommand(['card', 'check', 'http://127.0.0.1:1'], {})).toMatchObject({ status: 3 });
  expect(await runAgentCommand(['call', 'get_products', '--to', 'http://127.0.0.1:1'], {})).toMatchObject({
    status: 3,
  });
});
