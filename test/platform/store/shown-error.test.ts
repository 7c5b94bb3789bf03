import { expect, it } from 'vitest';
import { AppError } from '../../../src/platform/errors.ts';
import { StoreUnavailableError } from '../../../src/platform/store/collection.ts';
import { shownError } from '../../../src/platform/store/shown-error.ts';

it('[B12] who waits learns when to come back where the store does not answer, and nothing of why', () => {
  const away = shownError(new StoreUnavailableError('find media_buys', new Error('ECONNREFUSED 10.0.0.7')));
  expect(away).toMatchObject({ code: 'SERVICE_UNAVAILABLE', details: { retry_after: 5 } });
  expect(JSON.stringify(away.toBody())).not.toMatch(/media_buys|10\.0/);
});

it('[B12] what is known is shown as it is, any other fault bare', () => {
  const known = new AppError('INVALID_STATE', 'it is over');
  expect(shownError(known)).toBe(known);
  expect(shownError(new TypeError('secret')).toBody()).toMatchObject({
    code: 'INTERNAL_ERROR',
    message: expect.not.stringContaining('secret') as string,
  });
});
