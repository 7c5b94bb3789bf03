import { createHash } from 'node:crypto';
import { lstat, mkdir, realpath } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Bytes of the longest path a unix socket can have on every system (unix(7): 108 with the final zero on Linux). */
const MAX_PATH = 100;

/**
 * Where the server of this folder listens: in the folder, or, when that path is too long for a socket, in a folder of
 * the temporary directory that nobody else may enter. `known`, the path used before, is kept where it can be.
 * @throws {Error} when that folder belongs to somebody else.
 */
export async function socketPathFor(dir: string, known?: string): Promise<string> {
  const direct = join(dir, 'redis.sock');
  if (Buffer.byteLength(direct) <= MAX_PATH) return direct;
  const hash = createHash('sha256')
    .update(await realpath(dir))
    .digest('hex')
    .slice(0, 16);
  const path = known ?? join(tmpdir(), `media-buy-agent-${hash}`, 'redis.sock');
  await ownFolder(dirname(path));
  return path;
}

async function ownFolder(folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 }).catch(() => undefined);
  const found = await lstat(folder);
  const mine = process.getuid === undefined || found.uid === process.getuid();
  if (!found.isDirectory() || !mine || (found.mode & 0o077) !== 0) {
    throw new Error(
      `${folder} must be a folder that only this user can enter; remove it, or choose a shorter data folder`,
    );
  }
}

/** Sends one inline command and answers the first bytes of the reply; empty when the server just closes. */
export function askServer(socketPath: string, command: string, withinMs = 1000): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(socketPath, () => socket.write(`${command}\r\n`));
    socket.setTimeout(withinMs, () => {
      socket.destroy(new Error(`no answer to ${command}`));
    });
    socket.once('data', (data) => {
      resolve(data.toString());
      socket.destroy();
    });
    socket.once('close', () => {
      resolve('');
    });
    socket.once('error', reject);
  });
}
