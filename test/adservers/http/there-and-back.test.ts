import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { AdCreative, AdOrder } from '../../../src/sales/ad-server/ad-order.ts';
import { CreativeAnswer } from '../../../src/sales/ad-server/creative-answer.ts';
import { Description } from '../../../src/sales/ad-server/description.ts';
import { Broken, Misconfigured, Unreachable } from '../../../src/sales/ad-server/faults.ts';
import { Held } from '../../../src/sales/ad-server/held.ts';
import { AdForecast, ForecastQuery, InventoryPage } from '../../../src/sales/ad-server/inventory.ts';
import { CheckAnswer, PutAnswer } from '../../../src/sales/ad-server/put-answer.ts';
import { Statement, StatementQuery } from '../../../src/sales/ad-server/statement.ts';
import { PortId } from '../../../src/sales/ad-server/port-values.ts';
import { arbitraryOf } from './support/arbitrary-of.ts';
import { clientAt, serveBridge } from './support/bridge.ts';
import { keptAdServer } from './support/kept-ad-server.ts';
import { anOrder } from './support/samples.ts';

const RUNS = { numRuns: 60 };

/** Calls over the wire with generated values; what was said and what was answered must come out as they went in. */
async function goesThereAndBack<Told, Answer>(
  method: 'describe' | 'put' | 'check' | 'read' | 'statements' | 'putCreative' | 'forecast' | 'inventory',
  told: fc.Arbitrary<Told>,
  answers: z.ZodType<Answer>,
): Promise<void> {
  const kept = keptAdServer();
  const client = clientAt(await serveBridge(kept.adServer));
  await fc.assert(
    fc.asyncProperty(told, arbitraryOf(answers), async (value, answer) => {
      Object.assign(kept.answers, { [method]: answer });
      const answered = await (client[method] as (value: Told) => Promise<unknown>)(value);
      expect(answered).toEqual(answer);
      expect(kept.calls.at(-1)).toEqual({ method, told: value });
    }),
    RUNS,
  );
}

describe('the bridge carries verbatim', () => {
  it('a put and each of its outcomes', () => goesThereAndBack('put', arbitraryOf(AdOrder), PutAnswer));
  it('a check', () => goesThereAndBack('check', arbitraryOf(AdOrder), CheckAnswer));
  it('a read of any id', () => goesThereAndBack('read', arbitraryOf(PortId), Held));
  it('statements', () => goesThereAndBack('statements', arbitraryOf(StatementQuery), Statement));
  it('a creative', () => goesThereAndBack('putCreative', arbitraryOf(AdCreative), CreativeAnswer));
  it('a forecast', () => goesThereAndBack('forecast', arbitraryOf(ForecastQuery), AdForecast));
  it('inventory, with or without a cursor', () =>
    goesThereAndBack('inventory', fc.option(arbitraryOf(PortId), { nil: undefined }), InventoryPage));
  it('a description', () => goesThereAndBack('describe', fc.constant(undefined), Description));
});

describe('the bridge carries whole', () => {
  it('an order of 100 lines of 100 creatives each, with names as long as may be', async () => {
    const kept = keptAdServer({ put: { outcome: 'stale', version: 2 } });
    const client = clientAt(await serveBridge(kept.adServer));
    const { lines, ...rest } = anOrder('mb_1');
    const creatives = Array.from({ length: 100 }, (_, n) => ({ creative_id: `${'🦊'.repeat(120)}${n}`, version: 1 }));
    const order = {
      ...rest,
      lines: Array.from({ length: 100 }, () => lines.map((line) => ({ ...line, creatives }))).flat(),
    };
    expect(JSON.stringify(order).length).toBeGreaterThan(2_000_000);
    expect(await client.put(order)).toEqual({ outcome: 'stale', version: 2 });
    expect(kept.calls).toEqual([{ method: 'put', told: order }]);
  });
});

describe('a fault behind the bridge', () => {
  it('is the same fault before it', async () => {
    const kept = keptAdServer();
    const client = clientAt(await serveBridge(kept.adServer));
    kept.answers.describe = new Broken('another digest under version 3');
    await expect(client.describe()).rejects.toThrow(Broken);
    await expect(client.describe()).rejects.toThrow(
      'GET /v1/description of the ad server is answered 400: broken: another digest under version 3',
    );
    kept.answers.describe = new Misconfigured('no such network');
    await expect(client.describe()).rejects.toThrow(Misconfigured);
    kept.answers.describe = new Unreachable('down', { sent: 'no' });
    await expect(client.describe()).rejects.toMatchObject({
      name: 'Unreachable',
      sent: 'unknown',
      retryAtMs: undefined,
    });
    kept.answers.describe = new Error('a secret of its own');
    await expect(client.describe()).rejects.toMatchObject({ name: 'Unreachable', sent: 'unknown' });
    await expect(client.describe()).rejects.not.toThrow('a secret of its own');
  });

  it('keeps the instant to come again, in whole seconds', async () => {
    const now = Date.UTC(2026, 0, 1);
    const kept = keptAdServer({ describe: new Unreachable('busy', { sent: 'no', retryAtMs: now + 61_001 }) });
    const url = await serveBridge(kept.adServer, { now: () => now });
    const client = clientAt(url, { clock: { now: () => now } });
    await expect(client.describe()).rejects.toMatchObject({ retryAtMs: now + 62_000 });
  });
});
