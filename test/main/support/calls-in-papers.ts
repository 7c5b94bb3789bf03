import { filesUnder, readProjectFile } from '../../support/project-files.ts';

/** A call of the agent as a paper prints it; of an address alone nothing says by which method. */
export interface PrintedCall {
  /** The paper, and its words. */
  says: string;
  method: string | undefined;
  path: string;
}

/** What an ad server answers. */
const ELSEWHERES = /^\/(v1\/|_control)/;
/** Tells what there was. */
const OF_BEFORE = ['docs/moved.md', 'CHANGELOG.md'];

/** Every call that a paper of the project prints: in code with its method, and as an address of the agent. */
export async function callsInPapers(): Promise<PrintedCall[]> {
  const paths = ['docs', 'packages', 'catalog', 'agent-card'].map(filesUnder);
  const papers = ['README.md', 'SECURITY.md', ...(await Promise.all(paths)).flat()].filter(
    (path) => path.endsWith('.md') && !OF_BEFORE.includes(path),
  );
  const files = await Promise.all(papers.map(readProjectFile));
  return files.flatMap(({ path, text }) =>
    [
      ...text.matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/[^\s`]*)/g),
      ...text.matchAll(/https?:\/\/()(?:sales\.publisher\.example|127\.0\.0\.1:8080)(\/[^\s'"`<>)]+)/g),
    ].flatMap(([, method = '', called = '']) =>
      ELSEWHERES.test(called)
        ? []
        : [{ says: `${path}: ${method} ${called}`, method: method || undefined, path: filledIn(called) }],
    ),
  );
}

/** Without its query, and with something in place of each name. */
function filledIn(path: string): string {
  return path
    .replace(/[?#].*$/, '')
    .replace(/[.,;]$/, '')
    .replaceAll('{format}', 'csv')
    .replaceAll(/\{\w+\}|:\w+/g, 'x');
}

/** What calls routes answer, as `GET /a/:b`. */
export function callsOf(routes: readonly string[]): (call: Pick<PrintedCall, 'method' | 'path'>) => boolean {
  const known = routes.map((route) => {
    const [of = '', pattern = ''] = route.split(' ');
    const source = pattern
      .replaceAll('\\:', '\u0000')
      .replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&')
      .replaceAll(/\{([^}]*)\}/g, '(?:$1)?')
      .replaceAll(/:\w+/g, '[^/]+')
      .replaceAll('\u0000', ':');
    return { of, pattern: new RegExp(`^${source}/?$`) };
  });
  return ({ method, path }) =>
    known.some(({ of, pattern }) => (method === undefined || of === method || of === 'ALL') && pattern.test(path));
}
