import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { projectRoot } from '../support/project-files.ts';

/** What the generators read; the folder lies in the project's own `node_modules`, so that packages are found from it. */
const NEEDED = [
  'package.json',
  'scripts/ensure-deps.mjs',
  'scripts/source-lists.mjs',
  'scripts/new-task.mjs',
  'scripts/new-endpoint.mjs',
  'src/tasks/index.ts',
  'src/registry/index.ts',
  'docs',
  'scripts/write-rules.ts',
  'test/requirements.ts',
  'test/requirements',
  'test/support',
];
const cache = join(projectRoot, 'node_modules', '.cache');

let copy: string;
beforeEach(async () => {
  await mkdir(cache, { recursive: true });
  copy = await mkdtemp(join(cache, 'generators-'));
  for (const path of NEEDED) await cp(join(projectRoot, path), join(copy, path), { recursive: true });
  // Nothing is to be installed for it.
  await mkdir(join(copy, 'node_modules'));
  for (const path of ['package-lock.json', 'node_modules/.package-lock.json'])
    await writeFile(join(copy, path), '{ "packages": {} }');
});
afterEach(() => rm(copy, { recursive: true }));

function run(script: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(copy, 'scripts', script), ...args], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  return { status, stdout, stderr };
}

function text(path: string): Promise<string> {
  return readFile(join(copy, path), 'utf8');
}

/** The lines that a file has more than in the project, trimmed. */
async function added(path: string): Promise<string[]> {
  const before = (await readFile(join(projectRoot, path), 'utf8')).split('\n');
  return (await text(path))
    .split('\n')
    .filter((line) => !before.includes(line))
    .map((line) => line.trim());
}

describe('npm run new:task', () => {
  it.each(['inline', 'queued'])(
    'makes the folder, the line, the test and the rule of a task that is %s',
    async (mode) => {
      expect(run('new-task.mjs', ['pause_everything', `--${mode}`])).toMatchObject({ status: 0, stderr: '' });
      expect(await text('src/tasks/pause-everything/task.ts')).toContain(
        `return ${mode}Task<PauseEverythingRequest>({`,
      );
      expect(await text('src/tasks/pause-everything/schema.ts')).toContain('export const PauseEverythingResponse');
      expect(await text('test/tasks/pause-everything.test.ts')).toContain('[C.tasks.pause_everything]');
      expect(await added('src/tasks/index.ts')).toEqual([
        `import { pauseEverything } from './pause-everything/task.ts';`,
        'pauseEverything,',
      ]);
      expect((await added('test/requirements/tasks.ts')).join('')).toContain(`open('C.tasks.pause_everything', TASKS,`);
      expect(await added('docs/rules.md')).toContain('### C.tasks.pause_everything');
    },
  );

  it('takes the mode as npm hands it over when no -- stands before it', () => {
    const { status } = run('new-task.mjs', ['pause_everything'], { npm_config_queued: 'true' });
    expect(status).toBe(0);
  });

  it('makes a second one beside the first, and refuses the same again without a change', async () => {
    run('new-task.mjs', ['pause_everything', '--queued']);
    expect(run('new-task.mjs', ['get_forecast', '--inline']).status).toBe(0);
    const list = await text('src/tasks/index.ts');
    expect(list).toMatch(/pauseEverything,\n {2}getForecast,\n\] as const/);
    expect(run('new-task.mjs', ['get_forecast', '--inline'])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('src/tasks/get-forecast/task.ts') as string,
    });
    expect(await text('src/tasks/index.ts')).toBe(list);
  });

  it.each([
    ['neither mode', ['pause_everything']],
    ['both', ['pause_everything', '--inline', '--queued']],
    ['no name', ['--inline']],
    ['another spelling', ['pauseEverything', '--inline']],
    ['more than a name', ['pause_everything', 'now', '--inline']],
  ])('tells how it is used when given %s', async (_, args) => {
    expect(run('new-task.mjs', args)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('usage: npm run new:task NAME -- --inline|--queued') as string,
    });
    expect(await added('src/tasks/index.ts')).toEqual([]);
  });

  it('makes no get_* or list_* task that is queued', () => {
    const { status, stderr } = run('new-task.mjs', ['get_forecast', '--queued']);
    expect([status, stderr]).toEqual([2, expect.stringContaining('answer at once')]);
  });
});

describe('npm run new:endpoint', () => {
  it.each([
    ['POST', '/api/things', 'make-thing', 'makeThing'],
    ['GET', '/api/things/{thing_id}', 'read-thing', 'readThing'],
  ])('makes the folder, the line, the test and the rule of %s %s', async (method, path, name, id) => {
    expect(run('new-endpoint.mjs', [method, path, name])).toMatchObject({ status: 0, stderr: '' });
    const route = await text(`src/registry/${name}/route.ts`);
    expect(route).toContain(`path: '${path}',`);
    expect(route).toContain(`effect: '${method === 'GET' ? 'read' : 'write'}',`);
    expect(route.includes('body: MakeThingRequest')).toBe(method === 'POST');
    expect(route.includes('params: z.object({ thing_id:')).toBe(path.includes('{'));
    expect(await text(`test/registry/${name}.test.ts`)).toContain(`[C.endpoints.${name}] ${method} ${path}`);
    expect(await added('src/registry/index.ts')).toEqual([`import { ${id} } from './${name}/route.ts';`, `${id},`]);
    expect((await added('test/requirements/registry-api.ts')).join('')).toContain(`C.endpoints.${name}`);
    expect(await added('docs/rules.md')).toContain(`### C.endpoints.${name}`);
  });

  it.each([
    ['no name', ['GET', '/api/things']],
    ['a method it has not', ['TRACE', '/api/things', 'trace-things']],
    ['a path that is none', ['GET', 'things', 'get-things']],
    ['another spelling', ['GET', '/api/things', 'getThings']],
  ])('tells how it is used when given %s', async (_, args) => {
    expect(run('new-endpoint.mjs', args)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('usage: npm run new:endpoint METHOD PATH NAME') as string,
    });
    expect(await added('src/registry/index.ts')).toEqual([]);
  });
});
