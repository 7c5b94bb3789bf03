import { describe, expect, it } from 'vitest';
import { retryAfterMs } from '../../../src/platform/outbound/retry-after.ts';

const T0 = Date.UTC(2026, 0, 1);

describe('[W7] Retry-After', () => {
  it.each([
    ['120', 120_000],
    ['0', 0],
    ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
    ['-1', undefined],
    ['1.5', undefined],
    ['soon', undefined],
    ['9999999999999999', undefined],
    ['2026-01-01', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%s asks for %s ms', (header, ms) => {
    expect(retryAfterMs(header, T0)).toBe(ms);
  });
});
