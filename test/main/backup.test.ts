import { createHash } from 'node:crypto';
import { access, appendFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import { OperatorActions } from '../../src/admin/operator/actions/action.ts';
import { apiKeys } from '../../src/directory/api-key/api-key.ts';
import { readConfig } from '../../src/main/config/config.ts';
import { verifyBackup } from '../../src/main/wiring/backup.ts';
import { prepareCollections } from '../../src/main/wiring/collections.ts';
import { secrets } from '../../src/platform/crypto/secret.ts';
import { allRows } from '../../src/platform/store/all-rows.ts';
import type { CollectionSpec, Row, Store } from '../../src/platform/store/collection.ts';
import { openStore } from '../../src/platform/store/store.ts';
import { MediaBuys } from '../../src/sales/media-buy/media-buys.ts';
import { Deliveries } from '../../src/webhooks/delivery/delivery.ts';
import { SigningKeys } from '../../src/webhooks/keys/signing-key-row.ts';
import { silent } from '../directory/support/installation.ts';
import { launch } from '../journeys/support/child.ts';
import { beginStory, expectTheWholeStory } from '../journeys/support/story.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import { dropStoreAt, freshDatabase } from '../support/mongo-databases.ts';
import { bundle } from '../support/bundle.ts';
import { onMongodb } from '../support/mongo-settings.ts';
import { itOnStores } from '../support/stores.ts';
import type { StoreKind } from '../support/stores.ts';
import { until } from '../support/until.ts';
import { openReceiver } from '../webhooks/support/open-receiver.ts';
import { runAgentCommand } from './support/cli.ts';

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mba-backup-'));
  cleanUp.push(() => rm(folder, { recursive: true }));
  return folder;
}

/** Settings of an installation that there is nothing of yet. */
async function newPlace(kind: StoreKind): Promise<Record<string, string>> {
  const url = kind === 'mongodb' ? freshDatabase() : undefined;
  if (url !== undefined) cleanUp.push(() => dropStoreAt(url));
  return { DATA_DIR: await newFolder(), LOG_LEVEL: 'silent', ...onMongodb(url) };
}

async function openAt(env: Record<string, string>): Promise<Store> {
  const { dataDir, mongodbUrl } = readConfig(env, { allowLoopback: true });
  const store = await openStore({ dataDir, mongodbUrl, logger: silent });
  cleanUp.push(() => store.close());
  await prepareCollections(store);
  return store;
}

async function rowsOf<R extends Row>(store: Store, spec: CollectionSpec<R>): Promise<R[]> {
  const rows: R[] = [];
  for await (const row of allRows(store.collection(spec), { where: {} })) rows.push(row);
  return rows;
}

/** An installation that has a few hundred rows. */
async function smallPlace(kind: StoreKind): Promise<Record<string, string>> {
  const env = await newPlace(kind);
  const store = await openAt(env);
  const created_at = new Date().toISOString();
  const rows = Array.from({ length: 450 }, (_, n) => ({ name: `n${n}`, value: `v${n}`, created_at, revision: 1 }));
  await store.collection(secrets).insertMany(rows);
  return env;
}

const isThere = (file: string) =>
  access(file).then(
    () => true,
    () => false,
  );

itOnStores(
  '[S7] what is backed up on %s while the agent works has, restored, the same buys, keys and record, and sends what is owed with the same bytes',
  async (kind) => {
    let isWell = false;
    const receiver = await openReceiver((response) => {
      response.writeHead(isWell ? 204 : 503).end();
    });
    cleanUp.push(() => receiver.close());
    const OPERATOR_API_KEY = 'operator-key-of-this-test-that-is-long-enough';
    const agent = await startTestAgent(kind, { env: { OPERATOR_API_KEY } });
    let stop: (() => Promise<void>) | undefined = () => agent.stop();
    cleanUp.push(async () => stop?.());
    await runAgentCommand(['buyers', 'add', 'Acme', '--url', agent.baseUrl], agent.env);
    const story = await beginStory(agent, receiver);
    const { store } = agent.core;
    const isTried = async () => {
      const { rows } = await store.collection(Deliveries).find({ where: { task_id: story.id } });
      return rows.length === 2;
    };
    await until(isTried);
    const file = join(await newFolder(), 'one.backup');
    const during = beginStory(agent, receiver);
    const withSecret = kind === 'sqlite' ? ['--with-secret'] : [];
    const made = await runAgentCommand(['backup', '--to', file, ...withSecret], agent.env);
    expect([made.status, made.stderr]).toEqual([0, '']);
    expect(made.stdout.trimEnd().split('\n').at(-1)).toMatch(
      kind === 'sqlite' ? /^The secret is in it/ : /^Missing: .*SECRET_KEY/,
    );
    await during;
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const collections = [SigningKeys, apiKeys, OperatorActions] as readonly unknown[] as CollectionSpec<Row>[];
    const before = await Promise.all(collections.map((spec) => rowsOf(store, spec)));
    expect(before.every((rows) => rows.length > 0)).toBe(true);
    const buy = (await rowsOf(store, MediaBuys)).find(({ buyer_ref }) => buyer_ref === story.buyer_ref);
    const shown = await agent.core.metrics.text();
    expect(shown).toMatch(/backup_age_seconds \d/);
    await agent.stop();
    stop = undefined;

    const place = await newPlace(kind);
    const restored = await runAgentCommand(['restore', file], place);
    expect([restored.status, restored.stderr]).toEqual([0, '']);
    const opened = await openAt(place);
    expect(await Promise.all(collections.map((spec) => rowsOf(opened, spec)))).toEqual(before);
    const again = (await rowsOf(opened, MediaBuys)).find(({ buyer_ref }) => buyer_ref === story.buyer_ref);
    expect([again?.media_buy_id, again?.packages]).toEqual([buy?.media_buy_id, buy?.packages]);
    await opened.close();
    isWell = true;
    const next = await startTestAgent(kind, { env: { OPERATOR_API_KEY, ...place } });
    cleanUp.push(() => next.stop());
    await expectTheWholeStory({ ...story, agent: next });
  },
);

itOnStores(
  '[S7] a backup of %s into a folder is named by the time, and of those only the newest so many stay, and nothing else goes',
  async (kind) => {
    const place = await smallPlace(kind);
    const folder = await newFolder();
    const older = ['20200101T000000Z', '20200102T000000Z'].map((at) => `media-buy-agent-${at}.backup`);
    for (const name of [...older, 'media-buy-agent-20200101T000000Z.backup.part', 'notes.txt']) {
      await writeFile(join(folder, name), 'x');
    }
    const refused = await runAgentCommand(['backup', '--to', join(folder, 'one.backup'), '--keep', '2'], place);
    expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining('--keep: goes with a folder')]);
    const none = await runAgentCommand(['backup', '--to', folder, '--keep', '0'], place);
    expect([none.status, none.stderr]).toEqual([2, expect.stringContaining('--keep: send a number from 1')]);
    expect(await readdir(folder)).toHaveLength(4);
    const made = await runAgentCommand(['backup', '--to', folder, '--keep', '2', '--json'], place);
    const { file, removed } = JSON.parse(made.stdout) as { file: string; removed: string[] };
    expect([made.status, removed]).toEqual([0, [older[0]]]);
    expect((await readdir(folder)).sort()).toEqual(
      [...older.slice(1), 'media-buy-agent-20200101T000000Z.backup.part', 'notes.txt', basename(file)].sort(),
    );
    expect((await runAgentCommand(['verify-backup', file], {})).status).toBe(0);
  },
);

itOnStores(
  '[S7] a backup or a restore killed on %s leaves no file of that name and no store that starts; it is done again by the same words',
  async (kind) => {
    const from = await smallPlace(kind);
    const file = join(await newFolder(), 'one.backup');
    const mortal = await bundle('test/main/support/mortal-backup.ts');
    const killed = launch(mortal, { ...from, FILE: file, DOES: 'backup', DIE_AT: '30' });
    expect(await killed.ended).toBe('SIGKILL');
    expect(await isThere(file)).toBe(false);
    // Whether or not it had come so far.
    await appendFile(`${file}.part`, 'half');
    const made = await runAgentCommand(['backup', '--to', file, '--json'], from);
    expect(made.stderr).toBe('');
    const { rows } = JSON.parse(made.stdout) as { rows: number };

    const to = await newPlace(kind);
    const halfway = launch(mortal, { ...to, FILE: file, DOES: 'restore', DIE_AT: '430' });
    expect(await halfway.ended).toBe('SIGKILL');
    await expect(openAt(to)).rejects.toThrow('run the same restore again');
    const restored = await runAgentCommand(['restore', file, '--json'], to);
    expect(restored.stderr).toBe('');
    expect(JSON.parse(restored.stdout)).toMatchObject({ rows });
    expect((await rowsOf(await openAt(to), secrets)).length).toBe(450);
    const twice = await runAgentCommand(['restore', file], to);
    expect([twice.status, twice.stderr]).toEqual([1, expect.stringContaining('the store is not empty')]);
  },
);

it('[S7] a backup with any byte altered, or cut anywhere, is refused before anything is read of it', async () => {
  const from = await smallPlace('sqlite');
  const folder = await newFolder();
  const file = join(folder, 'one.backup');
  expect((await runAgentCommand(['backup', '--to', file], from)).status).toBe(0);
  const whole = await readFile(file);
  const other = join(folder, 'other.backup');
  const isRefused = async (bytes: Buffer) => {
    await writeFile(other, bytes);
    await expect(verifyBackup(other)).rejects.toThrow(/is cut, altered|has format/);
  };
  // Its beginning, its sum, and whatever stands between.
  const places = fc.oneof(
    fc.nat(30),
    fc.integer({ min: whole.length - 80, max: whole.length - 1 }),
    fc.nat(whole.length - 1),
  );
  await fc.assert(
    fc.asyncProperty(places, fc.integer({ min: 1, max: 255 }), async (at, change) => {
      const altered = Buffer.from(whole);
      altered[at] = (altered[at] ?? 0) ^ change;
      await isRefused(altered);
      await isRefused(whole.subarray(0, at));
    }),
    { numRuns: 120 },
  );
  await isRefused(Buffer.concat([whole, Buffer.from('x')]));
});

it('[S7] a restore of what a newer release made is refused and changes nothing; one without its secret says what is missing', async () => {
  const from = await smallPlace('sqlite');
  const folder = await newFolder();
  const file = join(folder, 'one.backup');
  const made = await runAgentCommand(['backup', '--to', file], from);
  expect(made.stdout).toMatch(/\nMissing: the secret, .*--with-secret.*\n$/);
  const again = await runAgentCommand(['backup', '--to', file], from);
  expect([again.status, again.stderr]).toEqual([1, expect.stringContaining('name another file')]);
  const whole = await readFile(file);
  const text = gunzipSync(whole.subarray(25, -73)).toString();
  const to = await newPlace('sqlite');
  const restoring = async (magic: string, content: string) => {
    const bytes = Buffer.concat([Buffer.from(magic), gzipSync(content)]);
    const other = join(folder, 'other.backup');
    await writeFile(
      other,
      Buffer.concat([bytes, Buffer.from(`\nsha256 ${createHash('sha256').update(bytes).digest('hex')}\n`)]),
    );
    const { status, stderr } = await runAgentCommand(['restore', other], to);
    expect([status, await isThere(join(to['DATA_DIR'] ?? '', 'store.db'))]).toEqual([1, false]);
    return stderr;
  };
  const magic = whole.subarray(0, 25).toString();
  expect(await restoring(magic.replace('1', '2'), text)).toContain('with a newer release');
  expect(await restoring(magic, text.replace('"collection":"secrets"', '"collection":"of_tomorrow"'))).toContain(
    'made by a newer release',
  );
  expect(await restoring(magic, text.replace(/("collection_name":"secrets","schema_version":)1/, '$19'))).toContain(
    'schema version 9',
  );
  expect(await restoring(magic, text.replace(/\["n8",.*\n/, ''))).toContain('not whole');
  expect((await runAgentCommand(['restore', file], to)).stdout).toMatch(
    /\nMissing: the secret\. .*start the agent\.\n$/,
  );
  expect((await runAgentCommand(['verify-backup', file], {})).stdout).toContain('The file is whole.');
});
