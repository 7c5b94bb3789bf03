// `npm run test:clients`: makes sure of Node and of the npm dependencies, then lets official clients of other languages play
// the buying story against an agent of its own (test/clients).
import { ensureDependencies, ensureNode, root } from './ensure-deps.mjs';

ensureNode();
ensureDependencies({ dev: true });
process.chdir(root);
const { register } = await import('tsx/esm/api');
register();
await import('../test/clients/index.ts');
