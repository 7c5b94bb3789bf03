import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { closedDataDir } from '../../../src/main/process/data-dir.ts';
import { createEmbeddedStore } from '../../../src/platform/store/sqlite/collection-embedded.ts';
import { silent } from '../../directory/support/installation.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'mba-data-dir-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

it('[S4] a data folder is made for this account alone, and those on the way to it', async () => {
  await closedDataDir(join(dir, 'on-the-way', 'data'));
  expect(await modeOf(join(dir, 'on-the-way', 'data'))).toBe('700');
  expect(await modeOf(join(dir, 'on-the-way'))).toBe('700');
});

it.each([0o755, 0o770, 0o701, 0o740, 0o720, 0o777])(
  '[S4] a folder of mode %o is refused with the command that closes it, and is as it was',
  async (mode) => {
    const data = join(dir, "it's data");
    await mkdir(data);
    await chmod(data, mode);
    const quoted = String.raw`chmod 700 '${dir}/it'\''s data'`;
    await expect(closedDataDir(data)).rejects.toMatchObject({
      name: 'ConfigError',
      message: expect.stringContaining(quoted) as string,
    });
    expect(await modeOf(data)).toBe(mode.toString(8));
  },
);

it('[S4] files that 0.1.0 left open in it are closed', async () => {
  await writeFile(join(dir, 'store.db'), '');
  await chmod(join(dir, 'store.db'), 0o644);
  await mkdir(join(dir, 'redis'));
  await chmod(join(dir, 'redis'), 0o755);
  await closedDataDir(dir);
  expect([await modeOf(join(dir, 'store.db')), await modeOf(join(dir, 'redis'))]).toEqual(['600', '700']);
});

it('[S4] the embedded store makes its files for this account alone, whatever the umask', async () => {
  const before = process.umask(0o000);
  try {
    const store = createEmbeddedStore({ file: join(dir, 'a', 'store.db'), logger: silent });
    await store.prepare();
    const files = await readdir(join(dir, 'a'));
    expect(files.sort()).toEqual(['store.db', 'store.db-shm', 'store.db-wal']);
    for (const name of files) expect([name, await modeOf(join(dir, 'a', name))]).toEqual([name, '600']);
    expect(await modeOf(join(dir, 'a'))).toBe('700');
    await store.close();
  } finally {
    process.umask(before);
  }
});
