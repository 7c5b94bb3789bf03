import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type * as Sdk from '@adcp/sdk';

const require = createRequire(import.meta.url);
const types = join(dirname(require.resolve('@adcp/sdk/package.json')), 'dist/lib/types');

/** The errors of release 3.0 by their codes, each with the reaction that it asks for. */
export const { STANDARD_ERROR_CODES } = require(join(types, 'error-codes.js')) as Pick<
  typeof Sdk,
  'STANDARD_ERROR_CODES'
>;
