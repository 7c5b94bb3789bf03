import { readConfig } from '../../../src/main/config/config.ts';
import { COLLECTIONS } from '../../../src/main/wiring/collections.ts';
import { backUpStore } from '../../../src/platform/store/backup/back-up.ts';
import { restoreStore } from '../../../src/platform/store/backup/restore.ts';
import type { CollectionSpec, Row } from '../../../src/platform/store/collection.ts';
import { createLogger } from '../../../src/platform/log.ts';
import type { StoreDriver } from '../../../src/platform/store/store-driver.ts';
import { storeDriver } from '../../../src/platform/store/store.ts';

/** Backs up to, or restores from, `FILE`, and kills itself at the `DIE_AT`th page read, or row written. */
const config = readConfig(process.env, { allowLoopback: true });
const file = process.env['FILE'] ?? '';
const specs = COLLECTIONS as readonly unknown[] as readonly CollectionSpec<Row>[];
let left = Number(process.env['DIE_AT']);

function step(): void {
  left -= 1;
  if (left === 0) process.kill(process.pid, 'SIGKILL');
}

const driver = await storeDriver({ ...config, logger: createLogger('silent') });
const mortal: StoreDriver = {
  ...driver,
  create(spec, note) {
    const made = driver.create(spec, note);
    const page: typeof made.raw.page = async (...args) => {
      step();
      return made.raw.page(...args);
    };
    return { ...made, raw: { ...made.raw, page } };
  },
};
if (process.env['DOES'] === 'backup')
  await backUpStore({ file, driver: mortal, specs, head: { made_at: new Date().toISOString(), release: 'test' } });
else
  await restoreStore({
    ...{ file, driver, specs },
    change: (_name, row) => {
      step();
      return row;
    },
  });
process.stdout.write('lives\n');
