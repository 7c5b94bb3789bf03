import { endpoints } from '../../src/registry/index.ts';
import { scopeOf } from '../../src/registry/endpoint.ts';
import { table } from './table.ts';

const WHO = { public: 'anybody', optional: 'anybody; with', required: '' } as const;

/** `docs/buyer-api.md`: every call of the HTTP API for buyers, publishers and everybody. */
export function buyerApiPaper(): string {
  const tags = [...new Set(endpoints.map(({ tag }) => tag))];
  const parts = tags.map((tag) => {
    const rows = endpoints
      .filter((one) => one.tag === tag)
      .map((one) => [
        `\`${one.method.toUpperCase()} ${one.path}\``,
        one.summary,
        one.access === 'public' ? WHO.public : `${WHO[one.access]} \`${scopeOf(one)}\``.trim(),
      ]);
    return `## ${tag}\n\n${table(['call', 'does', 'who may'], rows)}`;
  });
  return `# The HTTP API of buyers and of the registry

Tasks are called over A2A (\`docs/calling.md\`) or MCP (\`docs/mcp.md\`); this is what stands beside them. \`/openapi.json\` of an agent describes each call with
its parameters and answers, and \`/docs\` is that as a page. A scope is what the API key or access token needs. Written by
\`npx tsx scripts/write-references.ts\` from \`src/registry/index.ts\`.

${parts.join('\n')}`;
}
