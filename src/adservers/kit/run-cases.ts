import type { KitCase } from './kit-case.ts';
import { CannotStage } from './demand.ts';
import type { WorldAbility } from './world.ts';

type NamedCase = Pick<KitCase, 'number' | 'name'>;

/** What became of each case; every case stands in exactly one of the three. */
export interface KitResult {
  /** `without`: what the world could not do and the case would have looked at, too. */
  passed: (NamedCase & { without: WorldAbility[] })[];
  failed: (NamedCase & { error: Error })[];
  skipped: (NamedCase & { needs: WorldAbility[]; reason: string })[];
}

/** Hears of each case as soon as it is over. */
export interface KitListener {
  onPassed?(passed: KitResult['passed'][number]): void;
  onFailed?(failed: KitResult['failed'][number]): void;
  onSkipped?(skipped: KitResult['skipped'][number]): void;
}

/** Runs the cases one after another. Never throws for what a case finds. */
export async function runContract(contract: readonly KitCase[], listener: KitListener = {}): Promise<KitResult> {
  const result: KitResult = { passed: [], failed: [], skipped: [] };
  for (const { number, name, needs, lacks, without, run } of contract) {
    const skip = (reason: string) => {
      const skipped = { number, name, needs, reason };
      result.skipped.push(skipped);
      listener.onSkipped?.(skipped);
    };
    if (lacks.length > 0) {
      skip(`the world has no ${lacks.join(', ')}`);
      continue;
    }
    try {
      await run();
      const passed = { number, name, without };
      result.passed.push(passed);
      listener.onPassed?.(passed);
    } catch (error) {
      if (error instanceof CannotStage) {
        skip(error.message);
        continue;
      }
      const failed = { number, name, error: error instanceof Error ? error : new Error(String(error)) };
      result.failed.push(failed);
      listener.onFailed?.(failed);
    }
  }
  return result;
}
