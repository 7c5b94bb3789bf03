import { describe, expect, it } from 'vitest';
import { TaskId } from '../../../src/platform/task-id.ts';
import { approved } from '../../../src/sales/approval/decided-buy.ts';
import { sampleMediaBuy } from '../support/sample-media-buy.ts';

const by = { note: null, task_id: TaskId.parse('7d4f2c9e-0b51-4f0e-9a3c-2f6f0f6b7a10'), decided_by: 'ada' };
const at = '2026-04-30T00:00:01.000Z';

describe('a media buy that a person lets be after its flight is over', () => {
  const packages = sampleMediaBuy().packages.map((line) => ({ ...line, creative_ids: ['c1'] }));
  const end = Date.parse(sampleMediaBuy().end_time);
  const approve = (isReviewed: boolean, status: 'pending' | 'paused' = 'pending') =>
    approved(
      sampleMediaBuy({ status, pending_reason: 'approval', packages }),
      by,
      { nowMs: end + 1, creativeStatus: () => (isReviewed ? 'approved' : 'pending_review') },
      at,
    );

  it('[B2] goes on to say what it waits for while it is pending, until it is canceled', () => {
    expect(approve(false)).toMatchObject({ status: 'pending', pending_reason: 'creatives' });
    expect(approve(true)).toMatchObject({ status: 'pending', pending_reason: 'ad_server' });
  });

  it('[B2] of one that was paused meanwhile, only what is left to wait for', () => {
    expect(approve(false, 'paused')).toMatchObject({ status: 'paused', pending_reason: 'creatives' });
    expect(approve(true, 'paused')).toMatchObject({ status: 'paused', pending_reason: null });
  });
});
