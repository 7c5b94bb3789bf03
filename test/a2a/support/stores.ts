import { randomUUID } from 'node:crypto';

/** The stores that a test of the edge runs on: the embedded one always, MongoDB where there is one. */
export const STORES: readonly { name: string; mongodbUrl: string | undefined }[] = [
  { name: 'embedded store', mongodbUrl: undefined },
  ...(process.env['MONGODB_TEST_URL'] === undefined ? [] : [{ name: 'MongoDB', mongodbUrl: freshDatabase() }]),
];

function freshDatabase(): string {
  const url = new URL(process.env['MONGODB_TEST_URL'] ?? '');
  url.pathname = `/a2a-${randomUUID().slice(0, 8)}`;
  return url.href;
}
