import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from '../support/project-files.ts';
import type { Needs } from './programs.ts';
import { bundleVectors } from './runtimes/bundle.ts';

/** What was installed stays here between runs; nothing is taken from the home of whoever runs it. */
const CACHE = join(projectRoot, 'node_modules', '.cache', 'clients');

const INSTALL_WITHIN_MS = 480_000;

/** How a program is started, or the tool that this machine lacks, or the installer's words when it failed. */
export type Installed = { command: string; args: readonly string[] } | { lacks: string } | { failed: string };

const installs = new Map<Needs, Promise<Installed>>();

/** Installs what a program needs, unless it is there; once, however often it is called. Never rejects. */
export function install(needs: Needs): Promise<Installed> {
  const begun = installs.get(needs) ?? installed(needs).catch((error: unknown) => ({ failed: String(error) }));
  installs.set(needs, begun);
  return begun;
}

async function installed(needs: Needs): Promise<Installed> {
  if (needs.toolchain === 'npm') return runtimeOfNpm(needs);
  if (needs.toolchain === 'suite') return suiteWith(needs);
  const found = await versionOf(needs.toolchain);
  const wanted = needs.oldest.join('.');
  if (found === undefined) return { lacks: `${needs.toolchain} ${wanted}, and there is none on PATH` };
  const [major, minor] = found;
  const isOld = major < needs.oldest[0] || (major === needs.oldest[0] && minor < needs.oldest[1]);
  if (isOld) return { lacks: `${needs.toolchain} ${wanted}, and PATH has ${found.join('.')}` };
  if (needs.toolchain === 'go') return { command: await builtByGo(needs), args: [] };
  return { command: await pythonWith(needs.requirements, found.join('.')), args: [needs.file] };
}

async function versionOf(toolchain: 'python' | 'go'): Promise<[number, number] | undefined> {
  const [command, arg] = toolchain === 'go' ? ['go', 'version'] : ['python3', '--version'];
  const said = await output(command, [arg], {}).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  });
  const [, major, minor] = /(\d+)\.(\d+)/.exec(said) ?? [];
  return major === undefined || minor === undefined ? undefined : [Number(major), Number(minor)];
}

/** The programs of one module are built one after the other, since they share most of what is compiled. */
let building: Promise<unknown> = Promise.resolve();

async function builtByGo(needs: Extract<Needs, { toolchain: 'go' }>): Promise<string> {
  const out = join(CACHE, 'bin', needs.package.slice(2));
  const env = {
    GOCACHE: join(CACHE, 'go-build'),
    GOMODCACHE: join(CACHE, 'go-mod'),
    // Nobody but pinned versions, no other Go, and a cache that can be deleted.
    GOFLAGS: '-mod=readonly -modcacherw',
    GOTOOLCHAIN: 'local',
    GOWORK: 'off',
  };
  const built = building.then(() => output('go', ['-C', needs.module, 'build', '-o', out, needs.package], env));
  building = built.catch(() => undefined);
  await built;
  return out;
}

/** The interpreter of a virtual environment with exactly these requirements; one that was begun and not ended is made again. */
async function pythonWith(requirements: string, version: string): Promise<string> {
  const pinned = await readFile(requirements);
  const name = createHash('sha256').update(version).update(pinned).digest('hex').slice(0, 16);
  const folder = join(CACHE, `python-${name}`);
  const [python, done] = [join(folder, 'bin', 'python'), join(folder, 'installed')];
  if (existsSync(done)) return python;
  await rm(folder, { recursive: true, force: true });
  await mkdir(CACHE, { recursive: true });
  await output('python3', ['-m', 'venv', folder], {});
  const pip = ['-m', 'pip', 'install', '--quiet', '--no-input', '--disable-pip-version-check', '--no-deps'];
  await output(python, [...pip, '-r', requirements], {});
  await writeFile(done, '');
  return python;
}

/** A program of this project; what it is to run is in the folder that comes first of its arguments. */
async function suiteWith({ file, packages }: Extract<Needs, { toolchain: 'suite' }>): Promise<Installed> {
  const folder = packages.length === 0 ? CACHE : await installedByNpm(packages);
  return { command: process.execPath, args: ['--import', 'tsx', file, folder] };
}

/** Packages in a folder of their own, so that the project's lock file knows nothing of them. */
async function installedByNpm(packages: readonly string[]): Promise<string> {
  const folder = join(CACHE, packages.join('+').replaceAll('@', '-').replaceAll('/', '-'));
  const done = join(folder, 'installed');
  if (existsSync(done)) return folder;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{"private":true}');
  const npm = ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
  await output('npm', [...npm, ...packages], {});
  await writeFile(done, '');
  return folder;
}

/** A platform that npm brings. */
async function runtimeOfNpm({ package: runtime, version }: Extract<Needs, { toolchain: 'npm' }>): Promise<Installed> {
  const folder = await installedByNpm([`${runtime}@${version}`]);
  const { script, workerdConfig } = await bundleVectors(folder);
  const ARGS = {
    deno: ['run', '--no-config', '--no-remote', '--no-lock', script],
    bun: ['run', script],
    workerd: ['test', workerdConfig],
  };
  return { command: join(folder, 'node_modules', '.bin', runtime), args: ARGS[runtime] };
}

/** What a command prints. @throws {Error} with all of it when it does not end well in time. */
function output(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: INSTALL_WITHIN_MS,
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
    }
    child.once('error', reject).once('close', (status, signal) => {
      if (status === 0) resolve(said);
      else reject(new Error(`${command} ${args.join(' ')} ended by ${signal ?? status}: ${said.trim()}`));
    });
  });
}
