import { expect, it } from 'vitest';
import { isSealedByFormer, sealAnew } from '../../../src/platform/crypto/sealed-values.ts';
import { sealedKeyId, sealer } from '../../../src/platform/crypto/sealer.ts';

const [FORMER, PRESENT] = ['the former secret of at least 32 letters', 'the present secret of at least 32 letters'];
const former = sealer(FORMER);
const present = sealer(PRESENT, [FORMER]);

it('[S4] seals anew what a former secret sealed, at any depth and for the same purpose, and nothing else', () => {
  const row = {
    url: 'https://buyer.example/hook',
    registrations: [{ sealed_token: former.seal('token', 'a'), notes: ['s1.of a text', null, 7] }],
    below: { sealed_credentials: former.seal('credentials', 'b') },
    kept: present.seal('kept', 'a'),
  };
  expect(isSealedByFormer(present, row)).toBe(true);
  const { value, stuck } = sealAnew(present, row, ['a', 'b']);
  expect(stuck).toBe(0);
  expect(isSealedByFormer(present, value)).toBe(false);
  const alone = sealer(PRESENT);
  expect(alone.open(value.registrations[0]?.sealed_token ?? '', 'a')).toBe('token');
  expect(alone.open(value.below.sealed_credentials, 'b')).toBe('credentials');
  expect({ ...value, registrations: [], below: {} }).toEqual({
    ...row,
    registrations: [],
    below: {},
  });
  expect(value.registrations[0]?.notes).toEqual(row.registrations[0]?.notes);
});

it('[S4] what is sealed for something else, stays as it is and is counted; what only looks sealed is a text', () => {
  const row = { one: former.seal('x', 'elsewhere'), two: sealer('a stranger of at least 32 characters').seal('y') };
  const { value, stuck } = sealAnew(present, row, ['a']);
  expect([value, stuck]).toEqual([row, 1]);
  const told = { message: `s1.${'0'.repeat(16)}.${'a'.repeat(16)}.${'b'.repeat(22)}` };
  expect([sealedKeyId(told.message), isSealedByFormer(present, told)]).toEqual(['0'.repeat(16), false]);
  expect(value).toBe(row);
  expect(sealedKeyId('plain')).toBeUndefined();
});
