// `npm run test:mutants`: makes sure of Node and of the npm dependencies, then breaks the product on purpose, rule by rule, and
// asks whether tests see it (test/mutants).
import { ensureDependencies, ensureNode, root } from './ensure-deps.mjs';

ensureNode();
ensureDependencies({ dev: true });
process.chdir(root);
process.env.NODE_ENV = 'test';
const { register } = await import('tsx/esm/api');
register();
await import('../test/mutants/index.ts');
