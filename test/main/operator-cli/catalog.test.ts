import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { describeSimulator } from '../../../src/adservers/simulator/description.ts';
import { serveBridge, TOKEN } from '../../adservers/http/support/bridge.ts';
import { keptAdServer } from '../../adservers/http/support/kept-ad-server.ts';
import { loadCatalog } from '../../../src/sales/catalog.ts';
import { baseUrl, demoCatalog, demoFolder, withEditedCatalog } from '../../sales/support/demo-catalog.ts';
import { runAgentCommand } from '../support/cli.ts';

async function ownFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'media-buy-agent-catalog-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs `catalog check` with nothing but these settings, where no agent runs. */
async function check(env: Record<string, string>, ...args: string[]) {
  const folder = await ownFolder();
  return runAgentCommand(['catalog', 'check', ...args], { DATA_DIR: folder, CATALOG_DIR: demoFolder, ...env });
}

/** An ad server elsewhere that can do what the simulator can, but for these. */
async function elsewhere(changes: Partial<ReturnType<typeof describeSimulator>> = {}) {
  const { adServer, answers } = keptAdServer();
  Object.assign(answers, { describe: { ...describeSimulator(1), ...changes }, inventory: { items: [] } });
  return { AD_SERVER: 'http', AD_SERVER_URL: await serveBridge(adServer), AD_SERVER_TOKEN: TOKEN };
}

describe('npm run agent -- catalog check', () => {
  it('needs no agent that runs, and says that all fits', async () => {
    expect(await check({})).toEqual({
      ...{ status: 0, stderr: '' },
      stdout: expect.stringMatching(/^\d+ products in \d+ formats fit ad server default\.\n$/) as string,
    });
    const { status, stdout } = await check(await elsewhere(), '--json');
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ fits: true, ad_server_id: 'default' });
  });

  it('names what does not fit by file and place, and how to mend it', async () => {
    const { status, stdout, stderr } = await check(await elsewhere({ cap_units: [], currencies: ['USD', 'EUR'] }));
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/^\d+ things do not fit ad server default\n {2}products\.json \[/);
    expect(stderr).toContain('targeting.frequency_cap: the ad server keeps no frequency caps; make it false (product ');
    expect(stderr).toContain('the ad server does not sell in GBP; use USD, EUR, or drop the option (product ');
  });

  it('names an ad unit that the ad server does not have, here and elsewhere', async () => {
    await withEditedCatalog(
      ({ products }) => {
        Object.assign(products[0] ?? {}, {
          implementation_config: { default: { ad_unit_ids: ['home-top', 'home-botom'] } },
        });
      },
      async (folder) => {
        const settings = { CATALOG_DIR: folder, SIM_AD_UNITS: 'home-top,home-bottom' };
        const { status, stderr } = await check(settings);
        expect(status).toBe(1);
        expect(stderr).toContain(
          'products.json [0].implementation_config.default.ad_unit_ids[1]: the ad server has no ad_unit home-botom; did you mean home-bottom?',
        );
        const { status: fits } = await check({ ...settings, SIM_AD_UNITS: 'home-top,home-botom' });
        expect(fits).toBe(0);
        const described = describeSimulator(1, { adUnits: ['home-top'] });
        const there = await check({ ...(await elsewhere(described)), CATALOG_DIR: folder });
        expect(there.stderr).toContain('the ad server has no ad_unit home-botom');
      },
    );
  });

  it('names mistakes of the catalog itself, and of the settings', async () => {
    await withEditedCatalog(
      ({ products }) => {
        Object.assign(products[0] ?? {}, { channels: [] });
      },
      async (folder) => {
        const { status, stderr } = await check({ CATALOG_DIR: folder });
        expect(status).toBe(1);
        expect(stderr).toContain('products.json [0].channels: ');
      },
    );
    expect(await check({ AD_SERVER: 'http' })).toMatchObject({ status: 2, stdout: '' });
  });

  it('says when the ad server is away, or refuses the token, which it does not tell', async () => {
    const away = { AD_SERVER: 'http', AD_SERVER_URL: 'http://127.0.0.1:9', AD_SERVER_TOKEN: TOKEN };
    const none = await check(away);
    expect(none).toMatchObject({ status: 1, stdout: '' });
    expect(none.stderr).toContain('GET /v1/description of the ad server has no whole answer');
    const wrong = await check({ ...(await elsewhere()), AD_SERVER_TOKEN: 'wrong-token-0123456789' });
    expect(wrong.status).toBe(1);
    expect(wrong.stderr).toContain('settings ad server default: GET /v1/description of the ad server is answered 401');
    expect(wrong.stderr + none.stderr).not.toMatch(/wrong-token|bridge-token/);
  });
});

describe('npm run agent -- catalog export', () => {
  const exported = async (CATALOG_DIR: string, to: string, ...args: string[]) =>
    runAgentCommand(['catalog', 'export', '--to', to, ...args], { DATA_DIR: await ownFolder(), CATALOG_DIR });

  it('writes what a start reads the same catalog from, at any address', async () => {
    const to = join(await ownFolder(), 'deep', 'catalog');
    const { status, stdout, stderr } = await exported(demoFolder, to, '--json');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const [there, here] = await Promise.all([to, demoFolder].map((dir) => loadCatalog(dir, { baseUrl })));
    expect(there).toEqual(here);
    const { products, formats } = await demoCatalog();
    const files = (await readdir(demoFolder)).filter((file) => file.endsWith('.json'));
    const told = JSON.parse(stdout) as { files: string[] };
    expect(told).toMatchObject({ folder: to, products: products.size, formats: formats.size });
    expect(told.files.sort()).toEqual(files.sort());
    // All that a folder of the catalog may hold, to the byte: `{base_url}` is still to be filled in.
    for (const file of files) expect(await readFile(join(to, file))).toEqual(await readFile(join(demoFolder, file)));
    expect(await check({ CATALOG_DIR: to })).toMatchObject({ status: 0, stderr: '' });
    // Out of what was exported, which may have no seed.
    await rm(join(to, 'registry-seed.json'));
    const again = await exported(to, await ownFolder());
    expect(again).toMatchObject({ status: 0, stderr: '' });
    expect(again.stdout).toMatch(
      /^\d+ products in \d+ formats, read back, in \S+: publisher\.json, [^:]*\.\n.*CATALOG_DIR/,
    );
    expect(again.stdout).not.toContain('registry-seed.json');
  });

  it('writes over nothing, and nothing that a start would refuse', async () => {
    const full = await ownFolder();
    await writeFile(join(full, 'notes.txt'), 'mine');
    const refused = await exported(demoFolder, full);
    expect(refused).toMatchObject({ status: 2, stdout: '' });
    expect(refused.stderr).toContain('has something in it; name an empty folder');
    expect(await readdir(full)).toEqual(['notes.txt']);
    for (const [at, what] of [
      ['notes.txt', 'is a file, not a folder; name an empty folder'],
      ['notes.txt/deep', 'is below a file, not a folder; name an empty folder'],
    ] as const) {
      const { status, stdout, stderr } = await exported(demoFolder, join(full, at));
      expect({ at, status, stdout }).toEqual({ at, status: 2, stdout: '' });
      expect(stderr).toContain(`--to ${join(full, at)} ${what}`);
    }
    expect(await readFile(join(full, 'notes.txt'), 'utf8')).toBe('mine');
    await withEditedCatalog(
      ({ products }) => void Object.assign(products[0] ?? {}, { channels: [] }),
      async (folder) => {
        const to = join(await ownFolder(), 'catalog');
        const { status, stderr } = await exported(folder, to);
        expect(status).toBe(1);
        expect(stderr).toContain(`the catalog in ${folder} has 1 mistake\n  products.json [0].channels: `);
        await expect(readdir(to)).rejects.toThrow('ENOENT');
      },
    );
  });
});
