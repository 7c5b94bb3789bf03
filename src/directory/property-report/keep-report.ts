import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { toTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Store } from '../../platform/store/collection.ts';
import { propertyReports } from './property-report.ts';
import type { PropertyReport } from './property-report.ts';

const [pack, unpack] = [promisify(gzip), promisify(gunzip)];

/**
 * Keeps a report until it expires (rule R3), compressed. `admit` is told of the bytes first, and may refuse by throwing: then nothing
 * is kept, and the report's id must not be told.
 */
export async function keepReport(
  { store, clock }: { store: Store; clock: Clock },
  report: PropertyReport & { expires_at: string },
  admit: (bytes: number) => Promise<void>,
): Promise<void> {
  const report_gzip = (await pack(JSON.stringify(report), { level: 1 })).toString('base64');
  await admit(report_gzip.length);
  const { report_id, expires_at } = report;
  await store.collection(propertyReports).insert({
    ...{ report_id, report_json: '', report_gzip },
    ...{ created_at: toTimestamp(clock.now()), expires_at, revision: 1 },
  });
}

/** The report as it was answered; undefined for an unknown or expired one. Those of 0.1.0 are plain. */
export async function readReport({ store }: { store: Store }, report_id: string): Promise<unknown> {
  const stored = await store.collection(propertyReports).get(report_id);
  if (stored === undefined) return undefined;
  const { report_json, report_gzip } = stored;
  const text = report_gzip === undefined ? report_json : (await unpack(Buffer.from(report_gzip, 'base64'))).toString();
  return JSON.parse(text) as unknown;
}
