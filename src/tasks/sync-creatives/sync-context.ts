import type { UpsertCause } from '../../sales/creative/upsert.ts';

/** The parts of a sync, in their order. */
export const SYNC_STEPS = ['syncing creatives', 'assigning creatives', 'archiving what is missing'] as const;

/** Whose sync it is, and how its progress is told and its end noticed. */
export interface SyncContext extends UpsertCause {
  step(name: (typeof SYNC_STEPS)[number]): Promise<void>;
  /** Called before each write; from the first on, the sync cannot be called back. @throws when it is to stop. */
  commit(): Promise<void>;
}
