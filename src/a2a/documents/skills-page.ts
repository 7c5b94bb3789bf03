import { SCOPE_MEANINGS } from '../../directory/caller.ts';
import { escapeHtml as text, htmlPage, styleSource } from '../../platform/html-page.ts';
import { isObject } from '../../platform/json-object.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import { schemaPath, taskSchema } from '../../runtime/task-schemas.ts';
import type { TaskDefinition } from '../../runtime/task-definition.ts';

/** Where the page is served, below the base URL. */
export const AGENT_DOCS_PATH = '/docs/agent';

export interface SkillsPageSource {
  /** The agent's name. */
  name: string;
  /** Without a slash at the end. */
  baseUrl: string;
  calling?: JsonObject | undefined;
  tasks: readonly TaskDefinition[];
}

/** How the agent is called and what each skill takes and answers, for people: no script, nothing loaded from elsewhere. */
export function skillsPage({ name, baseUrl, calling, tasks }: SkillsPageSource): string {
  const body = `<h1>${text(name)}: how it is called</h1>
<p>Over A2A, as <a href="${text(baseUrl)}/.well-known/agent-card.json">the agent card</a> says; over HTTP with JSON-RPC at
<code>${text(baseUrl)}/a2a/jsonrpc</code>. Send <code>A2A-Version: 1.0</code> and <code>Authorization: Bearer …</code>.
The registry's own API has <a href="${text(baseUrl)}/docs">a page of its own</a>.</p>
${calling === undefined ? '' : `<h2>Calling</h2>${facts(calling)}`}
<h2>Skills</h2>
<ul>${tasks.map((task) => `<li><a href="#${text(task.name)}">${text(task.name)}</a></li>`).join('')}</ul>
${tasks.map((task) => section(task, baseUrl)).join('\n')}`;
  return htmlPage({ title: `${text(name)}: how it is called`, style: STYLE, body });
}

function facts(of: JsonObject): string {
  const entries = Object.entries(of).map(
    ([name, fact]) => `<dt>${text(name)}</dt><dd>${isObject(fact) ? facts(fact) : text(String(fact))}</dd>`,
  );
  return `<dl>${entries.join('')}</dl>`;
}

function section(task: TaskDefinition, baseUrl: string): string {
  const { name, title, description, scope, mode, takesText = false, examples } = task;
  const shown = examples.map(
    (example) =>
      `<h4>${text(example.title)}</h4><pre>${text(JSON.stringify({ skill: name, input: example.input }, null, 2))}</pre>`,
  );
  const answered = mode === 'inline' ? 'Answered at once.' : 'Takes its time, see waiting.';
  return `<section id="${text(name)}">
<h3>${text(title)} <code>${text(name)}</code></h3>
<p>${text(description)}</p>
<p>${answered} Scope <code>${text(scope)}</code>: ${text(SCOPE_MEANINGS[scope])}. Takes ${takesText ? 'JSON, or plain text' : 'JSON'}.</p>
<p>Schemas: ${SIDES.map((side) => `<a href="${text(baseUrl)}${text(schemaPath(name, side))}">${side}.json</a>`).join(', ')}</p>
<table><tr><th>Input</th><th>Type</th><th></th></tr>${fields(taskSchema(task, 'input', baseUrl))}</table>
${shown.join('\n')}
</section>`;
}

const SIDES = ['input', 'output'] as const;

/** The fields of an input, a row each, those that are required with a star. */
function fields({ properties, required = [] }: JsonObject): string {
  return Object.entries(properties as Record<string, JsonObject>)
    .map(([name, { type, enum: values, anyOf, description }]) => {
      const star = (required as string[]).includes(name) ? ' *' : '';
      const kinds = ((anyOf ?? [{ type }]) as JsonObject[]).map((one) => one['type']);
      const shown = Array.isArray(values) ? values.join(', ') : [...new Set(kinds)].join(' or ');
      return `<tr><td><code>${text(name)}</code>${star}</td><td>${text(shown)}</td><td>${text(typeof description === 'string' ? description : '')}</td></tr>`;
    })
    .join('');
}

const STYLE = `
:root { color-scheme: light dark; --ink: #1b2430; --quiet: #5c6775; --paper: #fff; --side: #f5f6f8; --line: #dde1e6; --accent: #1f5fbf; }
@media (prefers-color-scheme: dark) { :root { --ink: #e7ebf0; --quiet: #98a3b1; --paper: #12161c; --side: #1a2028; --line: #2c343f; --accent: #6ea8ff; } }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.6 system-ui, sans-serif; }
main { margin: 0 auto; padding: 1.5rem 1.5rem 6rem; max-width: 60rem; }
section { padding: 1rem 0 1.5rem; border-top: 1px solid var(--line); }
h3, h4 { margin: 1rem 0 .25rem; } dt { font-weight: 600; } dl dl dt { font-weight: 400; color: var(--quiet); }
a { color: var(--accent); } code, pre { font: .9em/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { padding: .75rem 1rem; background: var(--side); border-radius: .4rem; overflow: auto; max-height: 26rem; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; } th, td { text-align: left; padding: .3rem .75rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; min-width: 4rem; }
p, dd, h3, h4 { overflow-wrap: anywhere; } @media (max-width: 30rem) { main { padding: 1rem 1rem 4rem; } dd { margin-left: 1rem; } }
`;

/** The style of the page, as its policy names it. */
export const SKILLS_STYLE_SOURCE = styleSource(STYLE);
