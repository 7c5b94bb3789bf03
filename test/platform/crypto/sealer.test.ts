import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sealer } from '../../../src/platform/crypto/sealer.ts';

const secret = 'a secret of at least thirty-two characters';

describe('sealed values [W4]', () => {
  it('open to what was sealed, for any text and binding', () => {
    const box = sealer(secret);
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (text, boundTo) => {
        expect(box.open(box.seal(text, boundTo), boundTo)).toBe(Buffer.from(text).toString());
      }),
    );
  });

  it('differ each time and show nothing of the text', () => {
    const box = sealer(secret);
    expect(box.seal('credential')).not.toBe(box.seal('credential'));
    expect(Buffer.from(box.seal('credential').split('.')[3] ?? '', 'base64url').includes('credential')).toBe(false);
  });

  it('do not open once any character has changed', () => {
    const box = sealer(secret);
    const sealed = box.seal('credential');
    for (let i = 0; i < sealed.length - 1; i++) {
      const changed = `${sealed.slice(0, i)}${sealed[i] === 'A' ? 'B' : 'A'}${sealed.slice(i + 1)}`;
      expect(() => box.open(changed)).toThrow();
    }
  });

  it('do not open for another binding', () => {
    const box = sealer(secret);
    expect(() => box.open(box.seal('credential', 'row-1'), 'row-2')).toThrow();
  });

  it('still open after the secret was rotated, and are sealed with the new one from then on', () => {
    const before = sealer(secret);
    const after = sealer('another secret of thirty-two characters!', [secret]);
    expect(after.open(before.seal('credential'))).toBe('credential');
    expect(after.keyId).not.toBe(before.keyId);
    expect(() => before.open(after.seal('credential'))).toThrow(/not configured/);
  });

  it('are refused a secret shorter than 32 characters', () => {
    expect(() => sealer('short')).toThrow(/32 characters/);
  });
});
