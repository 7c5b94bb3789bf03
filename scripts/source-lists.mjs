// Adds lines to the lists that the sources keep by hand (tasks, endpoints, rules), and writes new files as prettier has
// them, and the paper that is written from the rules.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ensureDependencies, ensureNode, root } from './ensure-deps.mjs';

/** `Pause everything` of `['pause', 'everything']`, and the words as code and files spell them. */
export function spellings(words) {
  const capital = (word) => word[0].toUpperCase() + word.slice(1);
  const pascal = words.map(capital).join('');
  return {
    title: capital(words.join(' ')),
    kebab: words.join('-'),
    pascal,
    camel: pascal[0].toLowerCase() + pascal.slice(1),
  };
}

/** Writes files by their paths from the top, formatted; none of them when one is there already. */
export async function writeNew(files) {
  ensureNode();
  ensureDependencies({ dev: true });
  const present = Object.keys(files).filter((path) => existsSync(join(root, path)));
  if (present.length > 0) {
    console.error(`${present.join(' and ')} exists already; nothing was changed`);
    process.exit(1);
  }
  for (const [path, text] of Object.entries(files)) await write(path, text);
}

/** Imports `name` from `from` in a file, in the order of paths, and puts it at the end of the list that `opening` begins. */
export async function addToList(path, { name, from, opening }) {
  const text = readFileSync(join(root, path), 'utf8');
  const line = `import { ${name} } from '${from}';`;
  const imports = [...text.matchAll(/^import [^;]*from '([^']+)';\n/gm)];
  const next = imports.find(([, other]) => other.startsWith('./') && other > from);
  const last = imports.at(-1);
  const at = next?.index ?? (last === undefined ? 0 : last.index + last[0].length);
  await write(path, append(`${text.slice(0, at)}${line}\n${text.slice(at)}`, path, opening, name));
}

/** Puts an open rule at the end of a list of `test/requirements`. */
export async function addOpenRule(path, { id, section, opening, text }) {
  const list = readFileSync(join(root, path), 'utf8').replace('import { proved }', 'import { open, proved }');
  await write(path, append(list, path, opening, `open('${id}', ${section}, '${text}', 'not built yet')`));
}

/** Writes docs/rules.md again, so that the tests ask only for what is still to be written. */
export function writeRules() {
  const script = join(root, 'scripts/write-rules.ts');
  const { status } = spawnSync(process.execPath, ['--import', import.meta.resolve('tsx'), script], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) console.error('docs/rules.md could not be written (see above): run npx tsx scripts/write-rules.ts');
}

function append(text, path, opening, entry) {
  const start = text.indexOf(opening);
  const end = text.indexOf('\n]', start);
  if (start === -1 || end === -1) throw new Error(`${path} has no list that begins by ${opening}`);
  return `${text.slice(0, end)}\n${entry},${text.slice(end)}`;
}

async function write(path, text) {
  const { format, resolveConfig } = await import('prettier');
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, await format(text, { ...(await resolveConfig(file)), filepath: file }));
}
