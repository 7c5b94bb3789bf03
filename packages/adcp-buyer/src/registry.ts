import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type * as Sdk from '@adcp/sdk';

const require = createRequire(import.meta.url);
const dist = join(dirname(require.resolve('@adcp/sdk/package.json')), 'dist/lib');

/** The SDK's own file of them: to load all of the SDK takes seconds. */
export const { RegistryClient, RegistrySync, FileCursorStore } = require(join(dist, 'registry/index.js')) as Pick<
  typeof Sdk,
  'RegistryClient' | 'RegistrySync' | 'FileCursorStore'
>;
