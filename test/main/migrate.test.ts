import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { feedEvents } from '../../src/directory/feed/feed-event.ts';
import type { CollectionSpec, Row } from '../../src/platform/store/collection.ts';
import { SchemaVersions } from '../../src/platform/store/schema-version.ts';
import type { RawRows } from '../../src/platform/store/store-driver.ts';
import { storeDriver } from '../../src/platform/store/store.ts';
import { silent } from '../directory/support/installation.ts';
import { dropStoreAt, freshDatabase } from '../support/mongo-databases.ts';
import { onMongodb } from '../support/mongo-settings.ts';
import { itOnStores } from '../support/stores.ts';
import { runAgentCommand } from './support/cli.ts';

itOnStores(
  '[S6] migrate brings a store on %s forward and ends; where nothing is to be done, it says so',
  async (kind) => {
    const mongodbUrl = kind === 'mongodb' ? freshDatabase() : undefined;
    const dataDir = await mkdtemp(join(tmpdir(), 'mba-migrate-'));
    onTestFinished(async () => {
      await rm(dataDir, { recursive: true });
      if (mongodbUrl !== undefined) await dropStoreAt(mongodbUrl);
    });
    /** What no release stands between: rows as they are. */
    async function stored<T>(use: (rows: { events: RawRows; versions: RawRows }) => Promise<T>): Promise<T> {
      const driver = await storeDriver({ dataDir, mongodbUrl, logger: silent });
      const [events, versions] = [feedEvents, SchemaVersions].map((spec) =>
        driver.create(spec as unknown as CollectionSpec<Row>, () => undefined),
      );
      if (events === undefined || versions === undefined) throw new Error('no collections');
      try {
        await driver.open();
        await driver.createTables([events, versions]);
        return await use({ events: events.raw, versions: versions.raw });
      } finally {
        await driver.close();
      }
    }
    const migrate = (...args: string[]) =>
      runAgentCommand(['migrate', ...args], { DATA_DIR: dataDir, LOG_LEVEL: 'silent', ...onMongodb(mongodbUrl) });

    // As 0.1.0 wrote it, which knew of no versions.
    const row = { event_id: 'e1', kind: 'publisher', change: 'added', subject: 'publisher:a.example', revision: 1 };
    await stored(({ events }) => events.insertMany([{ key: 'e1', row }]));
    const first = await migrate('--json');
    expect(first).toMatchObject({ status: 0, stderr: '' });
    expect(JSON.parse(first.stdout)).toMatchObject({
      store: kind,
      migrated: expect.arrayContaining([{ collection: 'feed_events', from: 1, to: 2 }]) as unknown,
    });
    expect(await stored(({ events }) => events.get('e1'))).toMatchObject({
      ...row,
      type: 'publisher.added',
      revision: 2,
    });
    expect(await migrate()).toEqual({
      status: 0,
      stdout: `The ${kind} store is as this release needs it.\n`,
      stderr: '',
    });

    const newer = await stored(async ({ versions }) => {
      const found = (await versions.get('feed_events')) ?? {};
      await versions.replace('feed_events', found, { ...found, schema_version: 99 });
      return versions.get('feed_events');
    });
    const refused = await migrate();
    expect(refused).toMatchObject({ status: 1, stdout: '' });
    expect(refused.stderr).toContain('the store was used by a newer release: feed_events has schema version 99');
    expect(await stored(({ versions }) => versions.get('feed_events'))).toEqual(newer);
  },
);
