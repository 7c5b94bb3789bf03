import type { SimulatorCalls } from './controls.ts';
import type { NativeStep } from './native-steps.ts';
import type { OrderRecords } from './order-records.ts';
import { decidePending } from './put-turn.ts';
import type { PutRules } from './put-turn.ts';

type Written = Omit<SimulatorCalls['native_writes'][number], 'at'>;

/** The native writes that steps are, of a version of an order. */
export function asNativeWrites(steps: readonly NativeStep[], media_buy_id: string, version: number): Written[] {
  return steps.map(({ apply: _apply, ...step }) => ({ ...step, media_buy_id, version }));
}

/**
 * The same orders, of which whoever writes meets none whose time to be decided has come: what is pending comes true unasked.
 * `wrote`: told what that has done natively.
 */
export function decidedRecords(
  records: OrderRecords,
  timing: () => Pick<PutRules, 'nowMs' | 'flightAt' | 'seed' | 'lagMs'>,
  wrote: (writes: readonly Written[]) => void,
): OrderRecords {
  return {
    ...records,
    async write(media_buy_id, change) {
      let writes: Written[] = [];
      const record = await records.write(media_buy_id, (stored) => {
        const decided = stored && decidePending(stored, timing());
        writes = asNativeWrites(decided?.steps ?? [], media_buy_id, stored?.last?.version ?? 1);
        return change(decided?.record) ?? (decided?.record === stored ? undefined : decided?.record);
      });
      wrote(writes);
      return record;
    },
  };
}
