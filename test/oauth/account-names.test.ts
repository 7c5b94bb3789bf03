import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { accountNames } from '../../src/oauth/authorize/account-names.ts';

const SECRET = 'the secret of one installation, 32 or more';
const EMAIL = 'ada@acme.example';

it('[S5.no-secret] an account has one name however its address is spelt, and who has no secret cannot make it', () => {
  const name = accountNames(SECRET)(EMAIL);
  expect(accountNames(SECRET)(` ${EMAIL.toUpperCase()} `)).toBe(name);
  expect(name).toMatch(/^[\w-]{43}$/);
  expect(accountNames(SECRET)('bob@acme.example')).not.toBe(name);
  expect(accountNames('the secret of another installation, as long')(EMAIL)).not.toBe(name);
  for (const encoding of ['hex', 'base64url'] as const)
    expect(createHash('sha256').update(EMAIL).digest(encoding)).not.toContain(name.slice(0, 16));
});
