import { describe, expect, it } from 'vitest';
import { AppError, ERROR_RECOVERY, knownError } from '../../src/platform/errors.ts';
import type { ErrorCode } from '../../src/platform/errors.ts';

describe('an error that a caller should learn of', () => {
  it.each(Object.keys(ERROR_RECOVERY) as ErrorCode[])('[B12] %s says what the caller can do about it', (code) => {
    const body = new AppError(code, 'words').toBody();
    expect(body).toEqual({ code, message: 'words', recovery: ERROR_RECOVERY[code] });
    expect(code).toMatch(/^[A-Z][A-Z_]+$/);
  });

  it('[B12.details] lets a buyer mend what an ad server rejects or cannot do', () => {
    expect(ERROR_RECOVERY).toMatchObject({ UNSUPPORTED_FEATURE: 'correctable', AD_SERVER_REJECTED: 'correctable' });
  });

  it('[B12] carries field, suggestion, retry_after and issues, and never its cause', () => {
    const details = {
      field: 'packages[1].product_id',
      suggestion: 'ctv-sports',
      retry_after: 3,
      issues: [{ pointer: '/packages/1/product_id', message: 'no such product' }],
      details: { media_buy_id: 'mb_1' },
    };
    const error = new AppError('PRODUCT_NOT_FOUND', 'no such product', { ...details, cause: new Error('secret') });
    expect(error.cause).toBeInstanceOf(Error);
    expect(knownError(error).toBody()).toEqual({
      code: 'PRODUCT_NOT_FOUND',
      message: 'no such product',
      recovery: 'correctable',
      ...details,
    });
    expect(JSON.stringify(error.toBody())).not.toContain('secret');
  });
});

describe('a fault', () => {
  it.each([new Error('connect ECONNREFUSED /run/redis.sock'), 'text', undefined, { code: 'PRODUCT_NOT_FOUND' }])(
    'shows nothing of itself',
    (fault) => {
      expect(knownError(fault).toBody()).toEqual({
        code: 'INTERNAL_ERROR',
        message: 'the agent failed to handle this request; try again',
        recovery: 'transient',
      });
    },
  );
});
