import { escapeHtml, styleSource } from '../html-page.ts';

type Json = Record<string, unknown>;

/** Where a reader can go on from a page. */
export type DocsLink = readonly [href: string, title: string];

/** A page to read an OpenAPI document by: no script, nothing loaded from elsewhere. */
export function docsPage(document: Json, links: readonly DocsLink[]): string {
  const info = document['info'] as { title: string; version: string; description: string };
  const operations = Object.entries(document['paths'] as Record<string, Record<string, Json>>).flatMap(
    ([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const tags = (document['tags'] as { name: string }[]).map((tag) => tag.name);
  const of = (tag: string) => operations.filter(({ operation }) => (operation['tags'] as string[]).includes(tag));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(info.title)} API</title>
<style>${STYLE}</style>
</head>
<body>
<nav><strong>${text(info.title)} <small>${text(info.version)}</small></strong>
${tags.map((tag) => `<h2>${text(tag)}</h2><ul>${of(tag).map(navItem).join('')}</ul>`).join('\n')}
${links.map(([href, title]) => `<p><a href="${text(href)}">${text(title)}</a></p>`).join('\n')}</nav>
<main>
<h1>${text(info.title)} API</h1>
<p>${text(info.description)} Send credentials as <code>Authorization: Bearer …</code>; every refusal has a JSON body with <code>error</code>.</p>
${tags.map((tag) => `<h2>${text(tag)}</h2>${of(tag).map(section).join('\n')}`).join('\n')}
</main>
</body>
</html>
`;
}

interface Shown {
  path: string;
  method: string;
  operation: Json;
}

function navItem({ operation }: Shown): string {
  return `<li><a href="#${text(operation['operationId'])}">${text(operation['summary'])}</a></li>`;
}

function section({ path, method, operation }: Shown): string {
  const parameters = operation['parameters'] as {
    name: string;
    in: string;
    required: boolean;
    schema: Json;
    description?: string;
  }[];
  const body = operation['requestBody'] as { content: Record<string, { schema: Json }> } | undefined;
  const responses = Object.entries(
    operation['responses'] as Record<string, { description: string; content?: Record<string, { schema: Json }> }>,
  );
  return `<section id="${text(operation['operationId'])}">
<h3>${text(operation['summary'])}</h3>
<p class="route"><b>${text(method.toUpperCase())}</b> <code>${text(path)}</code> ${badge(operation['security'] as Json[])}</p>
<p>${text(operation['description'])}</p>
${parameters.length === 0 ? '' : `<h4>Parameters</h4><table><tr><th>Name</th><th>In</th><th>Schema</th><th></th></tr>${parameters.map((p) => `<tr><td><code>${text(p.name)}</code>${p.required ? ' *' : ''}</td><td>${text(p.in)}</td><td><code>${text(JSON.stringify(p.schema))}</code></td><td>${text(p.description ?? '')}</td></tr>`).join('')}</table>`}
${body === undefined ? '' : `<details><summary>Request body</summary>${schemaBlock(body.content)}</details>`}
<h4>Responses</h4>
${responses.map(([status, { description, content }]) => `<details><summary><b>${text(status)}</b> ${text(description)}</summary>${content === undefined ? '<p>No body.</p>' : schemaBlock(content)}</details>`).join('')}
</section>`;
}

function badge(security: Json[]): string {
  if (security.length === 0) return '<span>public</span>';
  return security.some((entry) => Object.keys(entry).length === 0)
    ? '<span>credential optional</span>'
    : '<span>credential required</span>';
}

function schemaBlock(content: Record<string, { schema: Json }>): string {
  return Object.entries(content)
    .map(([type, { schema }]) => `<p><code>${text(type)}</code></p><pre>${text(JSON.stringify(schema, null, 2))}</pre>`)
    .join('');
}

function text(value: unknown): string {
  return escapeHtml(String(value));
}

const STYLE = `
:root { color-scheme: light dark; --ink: #1b2430; --quiet: #5c6775; --paper: #fff; --side: #f5f6f8; --line: #dde1e6; --accent: #1f5fbf; }
@media (prefers-color-scheme: dark) { :root { --ink: #e7ebf0; --quiet: #98a3b1; --paper: #12161c; --side: #1a2028; --line: #2c343f; --accent: #6ea8ff; } }
body { margin: 0; display: grid; grid-template-columns: 17rem minmax(0, 1fr); background: var(--paper); color: var(--ink); font: 1rem/1.6 system-ui, sans-serif; }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; box-sizing: border-box; padding: 1.5rem; background: var(--side); border-right: 1px solid var(--line); font-size: .9rem; }
nav h2 { margin: 1rem 0 .25rem; font-size: .8rem; color: var(--quiet); text-transform: uppercase; letter-spacing: .05em; }
nav ul { margin: 0; padding: 0; list-style: none; }
main { padding: 1.5rem 2.5rem 6rem; max-width: 60rem; }
section { padding: 1rem 0 1.5rem; border-bottom: 1px solid var(--line); }
h3 { margin: 0; } h4 { margin: 1rem 0 .25rem; }
a { color: var(--accent); } code, pre { font: .9em/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { padding: .75rem 1rem; background: var(--side); border-radius: .4rem; overflow: auto; max-height: 26rem; }
.route span { margin-left: .5rem; padding: .1rem .5rem; border: 1px solid var(--line); border-radius: 1rem; color: var(--quiet); font-size: .8rem; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; } th, td { text-align: left; padding: .3rem .75rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; min-width: 4rem; }
h3, p { overflow-wrap: anywhere; } summary { cursor: pointer; }
@media (max-width: 48rem) { body { display: block; } nav { position: static; height: auto; } main { padding: 1.5rem; } }
`;

/** The style of the page, as its policy names it. */
export const DOCS_STYLE_SOURCE = styleSource(STYLE);
