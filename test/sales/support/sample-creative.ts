import type { Creative } from '../../../src/sales/creative/creative.ts';
import { creativeKey } from '../../../src/sales/creative/creative.ts';
import { organizationId, taskId } from '../../support/ids.ts';

const AT = '2026-03-02T09:00:00.000Z';

/** An approved banner of `org_1`, nothing due. */
export function sampleCreative(changes: Partial<Creative> = {}): Creative {
  const { organization_id = organizationId('org_1'), creative_id = 'c1', status = 'approved' } = changes;
  return {
    creative_key: creativeKey(organization_id, creative_id),
    organization_id,
    creative_id,
    name: 'Trail shoes, medium rectangle',
    format_id: { agent_url: 'https://sales.northlight.test', id: 'display_300x250' },
    format_type: 'display',
    assets: { image: { url: 'https://cdn.pinecrest.example/trail-300x250.png', width: 300, height: 250 } },
    tags: [],
    status,
    status_reason: null,
    reason_code: null,
    version: 1,
    submitted_at: AT,
    review_due_at: null,
    effects_due_at: null,
    history: [
      {
        at: AT,
        action: 'created',
        actor: 'buyer',
        from_status: null,
        to_status: status,
        changes: [],
        note: null,
        task_id: taskId('task_1'),
      },
    ],
    created_at: AT,
    updated_at: AT,
    revision: 1,
    ...changes,
  };
}
