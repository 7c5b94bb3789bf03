import { afterAll, beforeAll, expect, it } from 'vitest';
import { mediaBuyInput } from '../journeys/support/buyer.ts';
import { operate } from '../journeys/support/operator.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { describeOnStores } from '../support/stores.ts';
import { refusal, result, STRANGER } from './support/calls.ts';
import type { Json } from './support/calls.ts';

const HOUR_MS = 3_600_000;

describeOnStores('provide_performance_feedback on %s', (store) => {
  let agent: TestAgent;
  let media_buy_id: string;
  beforeAll(async () => {
    agent = await startTestAgent(store);
    media_buy_id = String((await result(agent, 'create_media_buy', mediaBuyInput(agent)))['media_buy_id']);
  });
  afterAll(() => agent.stop());

  const score = (changes: Json = {}): Json => {
    const [start, end] = [-1, 20].map((hours) => new Date(Date.now() + hours * HOUR_MS).toISOString());
    return { media_buy_id, performance_index: 1.25, measurement_period: { start, end }, ...changes };
  };

  it('[D4.feedback] is kept once for each key, and read by operators', async () => {
    const asked = score({ idempotency_key: 'feedback-of-this-week-1' });
    const first = await result(agent, 'provide_performance_feedback', asked);
    expect(first).toMatchObject({ media_buy_id, feedback_id: expect.stringMatching(/^fb_/) as unknown });
    expect(await result(agent, 'provide_performance_feedback', asked)).toMatchObject({
      feedback_id: first['feedback_id'],
    });
    const { body } = await operate(agent, 'GET', `/performance-feedback?media_buy_id=${media_buy_id}`);
    expect(body['feedback']).toMatchObject([{ feedback_id: first['feedback_id'], metric_type: 'overall_performance' }]);
  });

  it('[D4.feedback] of what is another organization’s, or out of bounds, is refused by name', async () => {
    const theirs = await refusal(agent, 'provide_performance_feedback', score(), STRANGER);
    expect(theirs).toMatchObject({ code: 'MEDIA_BUY_NOT_FOUND', field: 'media_buy_id' });
    expect(await refusal(agent, 'provide_performance_feedback', score({ performance_index: -1 }))).toMatchObject({
      ...{ code: 'VALIDATION_ERROR', field: 'performance_index' },
    });
    expect(await refusal(agent, 'provide_performance_feedback', score({ package_id: 'none' }))).toMatchObject({
      ...{ code: 'PACKAGE_NOT_FOUND', field: 'package_id' },
    });
  });
});
