// How a command of a bundle starts. All commands are one script, since V8 keeps the code it has made of a script, not of
// modules: most of a start would be spent on making it again. Copied into each bundle; plain JavaScript without dependencies.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire, SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';

const PROGRAM = fileURLToPath(new URL('program.cjs', import.meta.url));
const CODE = fileURLToPath(new URL('program.code', import.meta.url));

/** What stacks call the program before we do; a path would be kept with the code, and be wrong where a build has moved. */
const FILENAME = 'program.cjs';

/**
 * Runs a command, with the code that was kept. Code that another Node has made is not taken, which is slower and no error.
 * @param {string} name of the command's source, as in `worker`
 */
export function launch(name) {
  tellSourceLines();
  commands(readProgram(keptCode())).run[name]();
}

/** Keeps the code of everything that the commands import, once that has been evaluated; none of them is run. */
export async function keepCode() {
  const script = readProgram();
  const { parts } = commands(script);
  for (const load of Object.values(parts)) await load();
  writeFileSync(CODE, script.createCachedData());
}

/** None in the package, which is for any Node. */
function keptCode() {
  return existsSync(CODE) ? readFileSync(CODE) : undefined;
}

function readProgram(cachedData) {
  // Nothing but ASCII is in it, and a string of such bytes is made and read faster.
  return new Script(readFileSync(PROGRAM, 'latin1'), { filename: FILENAME, cachedData });
}

function commands(script) {
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(import.meta.url), module, import.meta.url);
  return module.exports;
}

/** Has stacks name files and lines of the sources. Node would read the map at every start; this does at a first stack. */
function tellSourceLines() {
  let map;
  Error.prepareStackTrace = (error, sites) => {
    map ??= new SourceMap(JSON.parse(readFileSync(`${PROGRAM}.map`, 'utf8')));
    return [told(error), ...sites.map((site) => placed(site, map))].join('\n    at ');
  };
}

function told(error) {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return 'Error';
  }
}

function placed(site, map) {
  if (site.getFileName() !== FILENAME) return String(site);
  const [line, column] = [site.getLineNumber(), site.getColumnNumber()];
  const { originalSource, originalLine } = map.findEntry(line - 1, column - 1);
  const place =
    originalSource === undefined
      ? `${PROGRAM}:${line}:${column}`
      : `${new URL(originalSource, import.meta.url).href}:${originalLine + 1}`;
  return String(site).replace(`${FILENAME}:${line}:${column}`, place);
}
