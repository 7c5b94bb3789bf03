import type { AdServer } from '../../../../src/sales/ad-server/ad-server.ts';
import type { Statement } from '../../../../src/sales/ad-server/statement.ts';

const HALF_MS = 30 * 60_000;

/** The same ad server as one that counts in a zone half an hour off, and is told of an hour late. */
export function zoned(inner: AdServer, time_zone: string): AdServer {
  return {
    ...inner,
    describe: async () => {
      const description = await inner.describe();
      const { statements } = description;
      return { ...description, statements: { ...statements, time_zone, offset_minutes: 30, delay_minutes: 60 } };
    },
    // What it counts in an hour is stated half an hour earlier, so it is asked for half an hour later.
    statements: async (query) => {
      const statement = await inner.statements({
        ...query,
        from: moved(query.from, HALF_MS),
        until: moved(query.until, HALF_MS),
      });
      const { complete_until, final_until, ...rest } = statement;
      return {
        ...rest,
        complete_until: movedAll(complete_until),
        ...(final_until !== undefined && { final_until: movedAll(final_until) }),
        rows: statement.rows.map((row) => ({ ...row, hour: moved(row.hour, -HALF_MS) })),
      };
    },
  };
}

/** The hour behind it that is stated as a bucket. */
export function bucketThere(hour: string): string {
  return moved(hour, HALF_MS);
}

function movedAll(instants: Statement['complete_until']): Statement['complete_until'] {
  if (typeof instants === 'string') return moved(instants, -HALF_MS);
  return Object.fromEntries(Object.entries(instants).map(([id, instant]) => [id, moved(instant, -HALF_MS)]));
}

function moved(instant: string, byMs: number): string {
  return new Date(Date.parse(instant) + byMs).toISOString();
}
