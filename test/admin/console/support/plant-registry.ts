import { agentChecks } from '../../../../src/directory/agent-check/agent-check.ts';
import { agents } from '../../../../src/directory/agent/agent.ts';
import { publishers } from '../../../../src/directory/publisher/publisher.ts';
import { checkId, scheduledChecks } from '../../../../src/directory/scheduled-check/scheduled-check.ts';
import type { CheckKind } from '../../../../src/directory/scheduled-check/scheduled-check.ts';
import { DAY_MS } from '../../../../src/platform/hours.ts';
import { toTimestamp } from '../../../../src/platform/clock.ts';
import type { TestAgent } from '../../../journeys/support/test-agent.ts';
import { organizationId } from '../../../support/ids.ts';

export const PUBLISHER = 'gazette.example';
export const AGENT = { agent_id: 'ag_studio', url: 'https://studio.acme.example' } as const;
export const WHY = 'its host <b>is not</b> found';

/** A publisher whose file cannot be read any more, and an agent that cannot be reached. */
export async function plantRegistry({ core }: Pick<TestAgent, 'core'>): Promise<void> {
  const at = toTimestamp(core.clock.now());
  const facts = { created_at: at, updated_at: at, revision: 1 };
  await core.store.collection(publishers).insert({
    ...{ publisher_domain: PUBLISHER, source: 'adagents_json', verified: true, properties: [], ...facts },
    crawl: {
      ...{ started_at: at, source_url: `https://${PUBLISHER}/.well-known/adagents.json`, location: null },
      ...{ last_updated: null, pending: null, problems: ['authorized_agents[2] names <i>nobody</i>'] },
    },
  });
  await core.store.collection(agents).insert({
    ...{ ...AGENT, organization_id: organizationId('org_acme'), name: 'Studio' },
    ...{ type: 'creative', visibility: 'private', ...facts },
  });
  await core.store.collection(agentChecks).insert({
    ...{ agent_check_id: 'ach_1', agent_url: AGENT.url, checked_at: at, took_ms: 12, is_reachable: false, reason: WHY },
    ...{ version: null, roles: [], expires_at: '2999-01-01T00:00:00.000Z', revision: 1 },
  });
  // Not due for hours, so that no worker looks.
  const failed = (kind: CheckKind, subject: string) =>
    core.store.collection(scheduledChecks).insert({
      ...{ check_id: checkId(kind, subject), kind, subject, due_at: toTimestamp(core.clock.now() + DAY_MS) },
      ...{ last_tried_at: at, last_ok_at: null, last_error: WHY, failures: 1, failing_since: at, revision: 1 },
    });
  await failed('adagents', PUBLISHER);
  await failed('badges', AGENT.url);
}
