import { Router } from 'express';
import { ICON } from '../../admin/console/files.ts';
import { escapeHtml as text, htmlPage, styleSource } from '../../platform/html-page.ts';
import type { Core } from './compose.ts';

/** Where whoever comes to an address of this agent can go on, and what for. */
const PLACES = [
  ['/.well-known/agent-card.json', 'Agent card', 'what a buyer’s agent reads first: skills, addresses, keys'],
  ['/docs/agent', 'How it is called', 'every skill with its fields and an example'],
  ['/docs', 'Registry API', 'which agents may sell for which publishers'],
  ['/mcp', 'MCP', 'the same skills as tools; for programs'],
  ['/admin', 'Console', 'for the people who sell'],
  ['/docs/operator', 'Operator API', 'the same as the console, for their programs'],
] as const;

/**
 * `/`: what this is and where to go on, for people; the same as JSON for programs that ask for it. `/favicon.ico`: the mark that
 * browsers ask every site for.
 */
export function frontPage({ catalog, baseUrl }: Pick<Core, 'catalog' | 'baseUrl'>): Router {
  const router = Router();
  const { name } = catalog.publisher;
  router.get('/', (request, response) => {
    response.vary('Accept');
    if (request.accepts(['html', 'json']) === 'json') {
      response.json({
        name,
        links: PLACES.map(([path, title, about]) => ({ url: `${baseUrl}${path}`, title, about })),
      });
      return;
    }
    response.set('Content-Security-Policy', POLICY).type('html').send(page(name, baseUrl));
  });
  router.get('/favicon.ico', (_request, response) => {
    response.set('Cache-Control', 'public, max-age=86400').type('image/svg+xml').send(ICON);
  });
  return router;
}

function page(name: string, baseUrl: string): string {
  const places = PLACES.map(
    ([path, title, about]) =>
      `<dt><a href="${path}">${title}</a></dt><dd>${about}<br><code>${text(baseUrl)}${path}</code></dd>`,
  );
  const body = `<h1>${text(name)} sells media here</h1>
<p>This is a sales agent: buyers’ agents find its products, book and change media buys, send creatives and read delivery, and are told by
signed webhooks what became of it.</p>
<dl>${places.join('\n')}</dl>`;
  return htmlPage({ title: `${text(name)}: sales agent`, style: STYLE, body });
}

const STYLE = `
:root { color-scheme: light dark; --ink: #1b2430; --quiet: #566170; --paper: #fff; --accent: #1a56b0; }
@media (prefers-color-scheme: dark) { :root { --ink: #e7ebf0; --quiet: #a3aebb; --paper: #12161c; --accent: #7db0ff; } }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.6 system-ui, sans-serif; }
main { margin: 0 auto; padding: 3rem 1.5rem; max-width: 42rem; }
h1 { font-size: 1.6rem; line-height: 1.25; overflow-wrap: anywhere; }
a { color: var(--accent); } dt { font-weight: 600; margin-top: 1.1rem; } dd { margin: 0; color: var(--quiet); }
code { font: .85em/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
`;

/** Everybody may see the page, and nothing of it is loaded from elsewhere. */
const POLICY = `default-src 'none'; img-src 'self'; style-src ${styleSource(STYLE)}; base-uri 'none'; frame-ancestors 'none'; form-action 'none'`;
