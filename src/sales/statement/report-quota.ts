import { z } from 'zod';
import type { Clock } from '../../platform/clock.ts';
import { HOUR_MS } from '../../platform/hours.ts';
import type { Collection, CollectionSpec } from '../../platform/store/collection.ts';

const MINUTE_MS = 60_000;

/** When an ad server was asked for statements, by all processes. */
export const AskedReports = z.strictObject({
  ad_server_id: z.string(),
  /** How often in each minute of the last hour, by the minutes since the Unix epoch. */
  minutes: z.record(z.string(), z.int().min(1)),
  revision: z.int(),
});
export type AskedReports = z.infer<typeof AskedReports>;

export const AskedReportRows: CollectionSpec<AskedReports> = {
  name: 'asked_reports',
  key: 'ad_server_id',
  schema: AskedReports,
  indexes: [],
};

/** Keeps all processes together within an ad server's `limits.reports_per_hour`. */
export interface ReportQuota {
  /**
   * Takes one report of any hour's `limit`; undefined when it may be asked for now, else when to come again, in milliseconds.
   * One that is taken and not asked for is lost.
   */
  take(limit: number): Promise<number | undefined>;
}

export function createReportQuota(deps: {
  rows: Collection<AskedReports>;
  clock: Clock;
  ad_server_id: string;
}): ReportQuota {
  const { rows, clock, ad_server_id } = deps;
  return {
    async take(limit) {
      const minute = Math.floor(clock.now() / MINUTE_MS);
      for (;;) {
        let againMs: number | undefined;
        const outcome = await rows.update(ad_server_id, (row) => {
          const minutes = inLastHour(row.minutes, minute);
          againMs = whenFree(minutes, Math.max(1, Math.floor(limit)));
          if (againMs !== undefined) return undefined;
          return { ...row, minutes: { ...minutes, [minute]: (minutes[minute] ?? 0) + 1 } };
        });
        if (outcome !== undefined) return againMs;
        if ((await rows.insert({ ad_server_id, minutes: { [minute]: 1 }, revision: 1 })).inserted) return undefined;
      }
    },
  };
}

/** A minute counts until it is over for an hour. */
function inLastHour(minutes: AskedReports['minutes'], minute: number): AskedReports['minutes'] {
  const sinceMinute = minute - HOUR_MS / MINUTE_MS;
  return Object.fromEntries(Object.entries(minutes).filter(([at]) => Number(at) >= sinceMinute));
}

/** When there is room for one more; undefined: now. */
function whenFree(minutes: AskedReports['minutes'], limit: number): number | undefined {
  let asked = Object.values(minutes).reduce((sum, count) => sum + count, 0);
  if (asked < limit) return undefined;
  for (const [at, count] of Object.entries(minutes).sort(([a], [b]) => Number(a) - Number(b))) {
    asked -= count;
    if (asked < limit) return (Number(at) + 1) * MINUTE_MS + HOUR_MS;
  }
  return undefined;
}
