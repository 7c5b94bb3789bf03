import type { TargetGate } from '../../../src/platform/redis/target-gate.ts';

/** Lets the origin of a URL have accepted a request of somebody else, so that it is no stranger. */
export async function makeKnown(gate: TargetGate, url: string, nowMs: number): Promise<void> {
  const target = { organization_id: 'seed', origin: new URL(url).origin, path: '/' };
  const verdict = await gate.enter(target, nowMs);
  if (!verdict.allowed) throw new Error(`refused: ${verdict.reason}`);
  await gate.leave(target, verdict.permit, { outcome: 'accepted', nowMs, tookMs: 1 });
}
