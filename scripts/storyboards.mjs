// `npm run storyboards`: makes sure of Node and of the npm dependencies, then runs the public protocol's storyboards against an agent
// of its own (test/storyboards).
import { ensureDependencies, ensureNode, root } from './ensure-deps.mjs';

ensureNode();
ensureDependencies({ dev: true });
process.chdir(root);
const { register } = await import('tsx/esm/api');
register();
await import('../test/storyboards/index.ts');
