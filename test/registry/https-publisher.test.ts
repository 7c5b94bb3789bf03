import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { bundle } from '../support/bundle.ts';

const SETTING_UP = 'ip link set lo up && ip address add 93.184.216.34/32 dev lo && mount --bind "$0" /etc/resolv.conf';
/** What is in the namespaces ends with `unshare`. */
const UNSHARED = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc', 'sh', '-c'];

/** Namespaces need root, and `ip` of iproute2. */
const hasNetworks = spawnSync('unshare', [...UNSHARED, 'ip link set lo up']).status === 0;

// Needs a network namespace, which not every machine lets one make; the other tests of crawls run on loopback.
it.runIf(hasNetworks)(
  '[R15] [W16] in a network of its own, without the allowance of loopback, publishers are crawled by https on their own ports and names, and nobody is led elsewhere',
  async ({ signal }) => {
    const folder = await mkdtemp(join(tmpdir(), 'media-buy-agent-world-'));
    try {
      const names = join(folder, 'resolv.conf');
      await writeFile(names, 'nameserver 127.0.0.1\noptions timeout:1 attempts:1\n');
      const [world, program] = [
        await bundle('test/registry/support/https-world.ts'),
        await bundle('src/main/start.ts'),
      ];
      const run = `${SETTING_UP} && exec "$@"`;
      const { stdout } = await promisify(execFile)(
        'unshare',
        [...UNSHARED, run, names, process.execPath, world, program, folder],
        { signal },
      );
      const { found, resolved, asked } = JSON.parse(stdout) as World;
      expect(found).toMatchObject({
        'plain.example': read('https://plain.example/.well-known/adagents.json'),
        'pointing.example': read('https://files.example/group.json'),
        'managed.example': failed('its ads.txt names plain.example as manager'),
        'stranger.example': failed('tls certificate invalid'),
        'inward.example': failed('redirect leaves the site'),
        'unencrypted.example': failed('url scheme is not https'),
        'metadata.example': failed('cloud metadata address'),
        'inside.example': failed('loopback address'),
        'failing.example': failed('dns lookup failed'),
        'unknown.example': failed('dns name not found'),
      });
      const sellers = ['plain.example', 'pointing.example'];
      expect(Object.keys(resolved).filter((domain) => resolved[domain]?.verified === true)).toEqual(sellers);
      // The stranger was dialled and got no request, and nothing was asked for without encryption or within.
      expect(asked.filter((path) => !isAdsTxt(path))).toEqual([
        'plain.example/.well-known/adagents.json',
        'pointing.example/.well-known/adagents.json',
        'files.example/group.json',
        'managed.example/.well-known/adagents.json',
        'inward.example/.well-known/adagents.json',
        'unencrypted.example/.well-known/adagents.json',
      ]);
      // The crawl asks for it where there is no adagents.json. The worker asks known publishers too, in its own time.
      const known = [...sellers, 'managed.example'].map((domain) => `${domain}/ads.txt`);
      expect(asked).toContain('managed.example/ads.txt');
      expect(asked.filter((path) => isAdsTxt(path) && !known.includes(path))).toEqual([]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
);

const isAdsTxt = (path: string) => path.endsWith('/ads.txt');
const read = (source_url: string) => ({ status: 200, source_url, properties_count: 1, problems: [] });
const failed = (words: string) => ({ status: 502, error: expect.stringContaining(words) as string });

interface World {
  found: Record<string, Record<string, unknown>>;
  resolved: Record<string, { verified: boolean } | null>;
  asked: string[];
}
