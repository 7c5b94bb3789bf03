import { deathOf, faultText } from '../../../support/fault-point.ts';
import type { FaultPoint } from '../../../support/fault-point.ts';
import { bundle } from '../../../support/bundle.ts';
import { launch } from '../child.ts';

/** Workers of one installation, each followed by another as soon as it dies. */
export interface WorkerLineages {
  /** How many have died so far, at their fault points or killed. */
  deaths(): number;
  /** `kill -9` of the next one in turn. */
  killOne(): void;
  /** Rejects when one ends by itself. */
  failed: Promise<never>;
  stop(): Promise<void>;
}

/**
 * @param fates For each lineage, where its first workers are to die; whoever finds none left lives on.
 */
export async function startWorkers(
  env: Record<string, string>,
  fates: readonly (readonly FaultPoint[])[],
): Promise<WorkerLineages> {
  const isFated = fates.some((points) => points.length > 0);
  const program = await bundle(isFated ? 'test/journeys/support/crashing-worker.ts' : 'src/main/worker.ts');
  const running: (ReturnType<typeof launch> | undefined)[] = [];
  const killed = new Set<number | undefined>();
  let isStopping = false;
  const hasStopped = () => isStopping;
  let deaths = 0;
  let turn = 0;

  async function live(lineage: number): Promise<void> {
    for (const points = [...(fates[lineage] ?? [])]; !hasStopped();) {
      const point = points.shift();
      const worker = launch(program, { ...env, CRASH_AT: point === undefined ? '' : faultText(point) });
      running[lineage] = worker;
      const how = await worker.ended;
      if (hasStopped()) return;
      if (!killed.has(worker.process.pid) && deathOf(worker.output) === undefined)
        throw new Error(`a worker ended by ${how}:\n${worker.output.stderr}`);
      deaths += 1;
    }
  }

  const lives = fates.map((_points, lineage) => live(lineage));
  const failed = Promise.all(lives).then(() => new Promise<never>(() => undefined));
  failed.catch(() => undefined);
  return {
    deaths: () => deaths,
    killOne() {
      const worker = running[turn++ % fates.length];
      if (worker === undefined) return;
      killed.add(worker.process.pid);
      worker.process.kill('SIGKILL');
    },
    failed,
    async stop() {
      isStopping = true;
      await Promise.all(running.flatMap((worker) => worker?.kill('SIGKILL') ?? []));
      await Promise.allSettled(lives);
    },
  };
}
