// `npm test [-- vitest arguments]`: makes sure of Node and of the npm dependencies, then runs vitest in this process.
// Redis and MongoDB are seen to by test/support/global-setup.ts.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureDependencies, ensureNode, root } from './ensure-deps.mjs';

ensureNode();
ensureDependencies({ dev: true });

const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
process.chdir(root);
process.env.NODE_ENV = 'test';
process.argv = [process.argv[0], vitest, 'run', ...process.argv.slice(2)];
await import(pathToFileURL(vitest).href);
