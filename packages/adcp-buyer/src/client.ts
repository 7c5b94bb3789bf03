import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type * as Sdk from '@adcp/sdk';

const require = createRequire(import.meta.url);
const dist = join(dirname(require.resolve('@adcp/sdk/package.json')), 'dist/lib');

/** The client that buyers of release 3.0 call agents with. */
export const { ADCPMultiAgentClient } = require(join(dist, 'core/ADCPMultiAgentClient.js')) as Pick<
  typeof Sdk,
  'ADCPMultiAgentClient'
>;

/** How that client reads an error that came in the place of an answer. */
export const { extractAdcpErrorFromTransport } = require(join(dist, 'utils/error-extraction.js')) as Pick<
  typeof Sdk,
  'extractAdcpErrorFromTransport'
>;
