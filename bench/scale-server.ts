import { COLLECTIONS } from '../src/main/wiring/collections.ts';
import { readConfig } from '../src/main/config/config.ts';
import { startServer } from '../src/main/wiring/start-server.ts';
import { createLogger } from '../src/platform/log.ts';
import type { Collection, CollectionSpec, Row } from '../src/platform/store/collection.ts';
import { tellUse } from './watched.ts';

/** The registry of the scale benchmark, a process of its own, which counts what it reads of the store. */
const server = await startServer(readConfig(process.env, { allowLoopback: true }), createLogger('error'));
let reads = 0;
for (const spec of COLLECTIONS as readonly unknown[]) {
  const collection = server.core.store.collection(spec as CollectionSpec<Row>);
  for (const method of ['get', 'getMany', 'getField', 'find', 'count', 'isCurrent'] as const)
    counted(collection, method);
}

const { store } = server.core;
const changesSince = store.changesSince.bind(store);
store.changesSince = (mark) => {
  reads++;
  return changesSince(mark);
};

type Counted = 'get' | 'getMany' | 'getField' | 'find' | 'count' | 'isCurrent';

function counted(collection: Collection<Row>, method: Counted): void {
  const read = collection[method].bind(collection) as (...args: unknown[]) => Promise<unknown>;
  const counting = (...args: unknown[]) => {
    reads++;
    return read(...args);
  };
  Object.assign(collection, { [method]: counting });
}

console.log(JSON.stringify({ ready: true, base_url: server.core.baseUrl, use_url: await tellUse(() => reads) }));
process.once('SIGTERM', () => void server.stop().then(() => process.exit(0)));
