import { describe, expect, it } from 'vitest';
import { servedRelease } from '../../src/dialects/adcp/release.ts';
import type { ReleaseChoice } from '../../src/dialects/adcp/release.ts';
import { AppError } from '../../src/platform/errors.ts';

const choice: ReleaseChoice = { aliases: new Map([['3.2-beta.5', '3.1']]), majorOnly: '3.0' };

describe('[D1.release] the release of an answer', () => {
  it.each([
    ['the one that is named', { adcp_version: '3.0' }, { release: '3.0' }],
    ['another one by name', { adcp_version: '3.1', adcp_major_version: 3 }, { release: '3.1' }],
    ['the last one by name', { adcp_version: '3.2' }, { release: '3.2' }],
    ['the highest below one that is newer', { adcp_version: '3.7' }, { release: '3.2' }],
    ['by another name, which is told back', { adcp_version: '3.2-beta.5' }, { release: '3.1', alias: '3.2-beta.5' }],
    ['as set for who names the major version alone', { adcp_major_version: 3 }, { release: '3.0' }],
    ['3.1 for who names none', {}, { release: '3.1' }],
    ['3.1 for who sends null', { adcp_version: null, adcp_major_version: null }, { release: '3.1' }],
  ])('is %s', (_, request, served) => {
    expect(servedRelease(request, choice)).toEqual(served);
  });

  it.each([
    ['a pre-release of no other name', { adcp_version: '3.1-rc.1' }, 'adcp_version'],
    ['an older major version', { adcp_version: '2.5' }, 'adcp_version'],
    ['a newer major version', { adcp_version: '4.0' }, 'adcp_version'],
    ['a patch', { adcp_version: '3.1.2' }, 'adcp_version'],
    ['a major version alone, as text', { adcp_version: '3' }, 'adcp_version'],
    ['a number', { adcp_version: 3.1 }, 'adcp_version'],
    ['an object', { adcp_version: {} }, 'adcp_version'],
    ['words', { adcp_version: 'latest' }, 'adcp_version'],
    ['nothing', { adcp_version: '' }, 'adcp_version'],
    ['two that disagree', { adcp_version: '3.1', adcp_major_version: 2 }, 'adcp_version'],
    ['another major version alone', { adcp_major_version: 2 }, 'adcp_major_version'],
    ['a major version as text', { adcp_major_version: '3' }, 'adcp_major_version'],
  ])('is none for %s', (_, request, field) => {
    const refused = refusal(request);
    expect(refused.toBody()).toMatchObject({
      code: 'VERSION_UNSUPPORTED',
      field,
      details: { supported_versions: ['3.0', '3.1', '3.2', '3.2-beta.5'] },
    });
    expect(refused.message.length).toBeLessThan(300);
  });
});

function refusal(request: Record<string, unknown>): AppError {
  try {
    servedRelease(request, choice);
  } catch (error) {
    if (error instanceof AppError) return error;
  }
  throw new Error('it was served');
}
