import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';

const home = dirname(createRequire(import.meta.url).resolve('@adcp/sdk/package.json'));

/** Where the public protocol's JSON Schemas of release 3.0 are, as the SDK brings them. */
export const SCHEMAS = pathToFileURL(`${home}/dist/lib/schemas-data/3.0/`);
