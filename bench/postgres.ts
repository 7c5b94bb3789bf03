import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

export interface Postgres {
  url: string;
  pid: number;
  stop(): Promise<void>;
}

/** Where Debian keeps the server's programs, a folder a version. */
const DEBIAN = '/usr/lib/postgresql';

/** A throw-away PostgreSQL on a unix socket, with its defaults (fsync on); undefined where there is none. */
export async function startPostgres(): Promise<Postgres | undefined> {
  const version = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort().at(-1) : undefined;
  if (version === undefined) return undefined;
  const bin = join(DEBIAN, version, 'bin');
  const dir = mkdtempSync(join(tmpdir(), 'mba-bench-pg-'));
  const as = ordinaryUser();
  if (as !== undefined) chownSync(dir, as.uid, as.gid);
  const data = join(dir, 'data');
  const made = spawnSync(join(bin, 'initdb'), ['-D', data, '-U', 'bench', '-A', 'trust'], { ...as, cwd: dir });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr.toString()}`);
  const settings = ['-c', 'listen_addresses=', '-c', `unix_socket_directories=${dir}`, '-c', 'max_connections=200'];
  const server = spawn(join(bin, 'postgres'), ['-D', data, ...settings], { ...as, cwd: dir, stdio: 'ignore' });
  while (spawnSync(join(bin, 'pg_isready'), ['-h', dir, '-U', 'bench']).status !== 0) {
    if (server.exitCode !== null) throw new Error('PostgreSQL did not start');
    await pause(100);
  }
  return {
    url: `postgresql://bench@localhost/postgres?host=${encodeURIComponent(dir)}`,
    pid: server.pid ?? 0,
    async stop() {
      const exit = once(server, 'exit');
      server.kill('SIGINT');
      await exit;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL refuses to run as root. */
function ordinaryUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => Number(spawnSync('id', [flag, 'postgres']).stdout.toString());
  return { uid: id('-u'), gid: id('-g') };
}
