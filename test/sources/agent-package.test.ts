import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { projectRoot } from '../support/project-files.ts';

const { writePackage } = (await import(pathToFileURL(join(projectRoot, 'scripts/write-package.mjs')).href)) as {
  writePackage: (home: string) => Promise<string>;
};
const run = promisify(execFile);
/** The kit has tests of its own, and takes long to compile. */
const APART = 'dist/ad-server-kit';

let folder: string;
let home: string;
let installed: string;
let packedBytes: number;
let names: string[];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'agent-package-'));
  const { files, dependencies } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as {
    files: string[];
    dependencies: Record<string, string>;
  };
  const stage = join(folder, 'stage');
  home = mkdtempSync(join(projectRoot, 'dist', 'packing-'));
  const program = await writePackage(home);
  cpSync(program, join(stage, 'dist/packed/program'), { recursive: true });
  const others = files.filter((name) => !name.startsWith('dist/')).map((name) => name.replace(/\/\*\.sh$/, ''));
  for (const name of ['package.json', 'README.md', 'LICENSE', ...others]) {
    cpSync(join(projectRoot, name), join(stage, name), {
      recursive: true,
      filter: (path) => !name.startsWith('src/') || !path.endsWith('.ts'),
    });
  }
  const { stdout } = await npm(stage, 'pack', '--ignore-scripts', '--json', '--pack-destination', folder);
  const [packed] = JSON.parse(stdout) as [{ filename: string; size: number; files: { path: string }[] }];
  packedBytes = packed.size;
  names = packed.files.map(({ path }) => path).filter((path) => !path.startsWith(APART));
  const project = join(folder, 'project');
  installed = join(project, 'node_modules/media-buy-agent');
  mkdirSync(installed, { recursive: true });
  await run('tar', ['-xzf', join(folder, packed.filename), '-C', installed, '--strip-components=1']);
  // As npm would, without a registry: what the package depends on, and the command.
  for (const name of Object.keys(dependencies)) link(join(projectRoot, 'node_modules', name), project, name);
  mkdirSync(join(project, 'node_modules/.bin'));
  symlinkSync('../media-buy-agent/bin/media-buy-agent.mjs', join(project, 'node_modules/.bin/media-buy-agent'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
  rmSync(home, { recursive: true });
});

it('the package holds what its command needs and nothing else, in under 3 MB', () => {
  const folders = new Set(names.map((name) => name.split('/').slice(0, 2).join('/')));
  expect([...folders].sort()).toEqual(
    [
      ...['LICENSE', 'README.md', 'agent-card/identity.json', 'bin/entry-of.mjs', 'bin/media-buy-agent.mjs'],
      ...readdirSync(join(projectRoot, 'catalog')).map((name) => `catalog/${name}`),
      ...['dist/packed', 'docs/adapters.md', 'examples/ad-server.mjs', 'package.json', 'src/platform'],
    ].sort(),
  );
  expect(names.filter((name) => /\.(ts|env|pem|db)$/.test(name))).toEqual([]);
  for (const name of readdirSync(join(installed, 'dist/packed/program'))) {
    const text = readFileSync(join(installed, 'dist/packed/program', name), 'latin1');
    expect([name, text.includes(projectRoot)]).toEqual([name, false]);
  }
  expect(packedBytes).toBeLessThan(3_000_000);
  expect(statSync(join(installed, 'bin/media-buy-agent.mjs')).mode & 0o111).not.toBe(0);
});

it('in an empty folder, its command prints its help, and brings an agent up on embedded defaults that its commands reach', async () => {
  const cwd = join(folder, 'project');
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, PORT: '0', GRPC_PORT: '' };
  const command = join(cwd, 'node_modules/.bin/media-buy-agent');
  const help = await run(command, ['--help'], { cwd, env });
  expect(help.stdout).toMatch(/^Usage: media-buy-agent /);
  const agent = spawn(command, ['start'], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = once(agent, 'exit');
  let errors = '';
  agent.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  try {
    let printed = '';
    for await (const line of createInterface(agent.stdout)) {
      printed += `${line}\n`;
      if (/http:\/\/127\.0\.0\.1:\d+/.test(line)) break;
    }
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed) ?? [`nothing: ${printed}${errors}`];
    const card = await run(command, ['card', 'check', url], { cwd, env });
    expect(card.stdout).toMatch(/problems +none/);
    const status = await run(command, ['status', '--json'], { cwd, env });
    expect(JSON.parse(status.stdout)).toMatchObject({ approvals_open: 0 });
    expect(readdirSync(cwd).sort()).toEqual(['data', 'node_modules']);
  } finally {
    agent.kill('SIGTERM');
    await exited;
  }
});

function link(from: string, project: string, name: string): void {
  const at = join(project, 'node_modules', name);
  mkdirSync(join(at, '..'), { recursive: true });
  symlinkSync(from, at, 'dir');
}

function npm(cwd: string, ...args: string[]): Promise<{ stdout: string }> {
  const path = process.env['npm_execpath'] ?? '';
  return path.endsWith('npm-cli.js') ? run(process.execPath, [path, ...args], { cwd }) : run('npm', args, { cwd });
}
