import { operations } from '../../src/admin/operator/operations.ts';
import { SECURITY_KINDS } from '../../src/platform/security/security-kinds.ts';
import { table } from './table.ts';

/** `docs/audit-actions.md`: what stands on record, of people at the seller and of decisions about access. */
export function auditPaper(): string {
  const undoneBy = new Map(operations.flatMap(({ action, undo }) => (action && undo ? [[action, undo] as const] : [])));
  const actions = operations.flatMap(({ action, summary, role, path }) =>
    action === undefined
      ? []
      : [
          [
            `\`${action}\``,
            summary,
            role,
            `\`POST ${path}\``,
            undoneBy.has(action) ? `\`${undoneBy.get(action)}\`` : '',
          ],
        ],
  );
  const kinds = Object.entries(SECURITY_KINDS).map(([kind, { outcome, about }]) => [`\`${kind}\``, outcome, about]);
  return `# What stands on record

Written by \`npx tsx scripts/write-references.ts\` from \`src/admin/operator/operations.ts\` and \`src/platform/security/security-kinds.ts\`.

## What people at the seller do

Each is a row of the record before it begins, whichever way it came: the console, a terminal, the operator API. \`media-buy-agent log\`, the console's page
Record and \`GET /api/operator/actions\` show who, when, from where, to what, and how it ended (\`docs/operator.md\`).

${table(['action', 'what', 'who may', 'call, below `/api/operator`', 'undone by'], actions.sort(byName))}
## Decisions about access

Each is one line of the log, with \`"event":"security"\`, and counts in \`security_events_total\` (\`docs/metrics.md\`).

${table(['kind', 'outcome', 'what was decided'], kinds.sort(byName))}`;
}

function byName([a = '']: readonly string[], [b = '']: readonly string[]): number {
  return a < b ? -1 : 1;
}
