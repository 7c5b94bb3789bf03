import { afterEach } from 'vitest';

const closers: (() => unknown)[] = [];

/** Has `close` called after the test, last opened first. */
export function closeAfterTest(close: () => unknown): void {
  closers.push(close);
}

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});
