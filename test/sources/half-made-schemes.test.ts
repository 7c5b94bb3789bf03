import { describe, expect, it } from 'vitest';
import { createCompiler } from './support/compile-with.ts';
import type { Changes } from './support/compile-with.ts';
import { typescriptFiles } from '../support/project-files.ts';

const MODES = 'src/runtime/webhook-modes.ts';
const SENT = 'src/webhooks/schemes/index.ts';
const AGREED = 'packages/receiver/src/verify/registration.ts';
const RECEIVED = 'packages/receiver/src/verify/schemes/index.ts';

/** The tables, and what looks schemes up in them. */
const USERS = [
  'src/webhooks/delivery/attempt-headers',
  'src/webhooks/registration/buy-channel',
  'src/webhooks/registration/register',
  'packages/receiver/src/verify/check-registration',
  'packages/receiver/src/verify/mode',
  'packages/receiver/src/verify/verify-webhook',
];
const compiler = createCompiler([
  ...(await typescriptFiles('src/webhooks/schemes')).map(({ path }) => path),
  ...(await typescriptFiles('packages/receiver/src/verify/schemes')).map(({ path }) => path),
  ...USERS.map((name) => `${name}.ts`),
]);

const put = (after: string, more: string) => (text: string) => text.replace(after, `${after}${more}`);
const cut = (what: RegExp) => (text: string) => text.replace(what, '');

/** Each step of adding a scheme whose secret is shared; its halves borrow from HMAC here. */
const listed: Changes = { [MODES]: put(`'bearer'`, `, 'carrier-pigeon'`) };
const sent: Changes = {
  [SENT]: put('  bearer,\n', `  'carrier-pigeon': { ...hmacSha256, wireName: 'Pigeon' },\n`),
};
const agreed: Changes = {
  [AGREED]: put(
    '  bearer: BearerRegistration;\n',
    `  'carrier-pigeon': { mode: 'carrier-pigeon'; sender: string; key: string };\n`,
  ),
};
const received: Changes = {
  [RECEIVED]: put(
    '  bearer,\n',
    `  'carrier-pigeon': { ...hmacSha256, secretOf: ({ key }) => key, verify: (_request, { sender }) => Promise.resolve({ ok: true, sender }) },\n`,
  ),
};

describe('a fourth webhook scheme', () => {
  it('is none yet: the sources compile as they stand', () => {
    expect(compiler.complaints({})).toEqual([]);
  });

  it('compiles once the list of modes, both tables and the receiver’s registrations have it', () => {
    expect(compiler.complaints({ ...listed, ...sent, ...agreed, ...received })).toEqual([]);
  });

  it.each<[string, Changes, [place: string, says: string][]]>([
    [
      'is only listed',
      listed,
      [
        [SENT, `Property '"carrier-pigeon"' is missing`],
        [SENT, 'constraint'],
      ],
    ],
    ['has no sender', { ...listed, ...agreed, ...received }, [[SENT, `Property '"carrier-pigeon"' is missing`]]],
    ['is unknown to the receiver', { ...listed, ...sent }, [[SENT, 'does not satisfy the constraint']]],
    [
      'is in no table of the receiver’s',
      { ...listed, ...sent, ...agreed },
      [[RECEIVED, `Property '"carrier-pigeon"' is missing`]],
    ],
    [
      'has nothing that a receiver agrees to',
      { ...listed, ...sent, ...received },
      [
        [SENT, 'does not satisfy the constraint'],
        [RECEIVED, `'carrier-pigeon'' does not exist`],
      ],
    ],
    ['is in the tables and not in the list', { ...sent, ...agreed, ...received }, [[SENT, `'"carrier-pigeon"'`]]],
  ])('that %s does not compile', (_what, changes, expected) => {
    const complaints = compiler.complaints(changes);
    for (const [place, says] of expected) {
      expect(complaints).toContainEqual(expect.stringMatching(new RegExp(`^${place}: [^]*${escaped(says)}`)));
    }
  });
});

describe('a scheme without a part of it', () => {
  it.each(['wireName', 'legacy', 'unavailable', 'credentialsFault', 'sign'])(
    'does not compile: the sender’s %s',
    (part) => {
      const complaints = compiler.complaints({
        'src/webhooks/schemes/hmac-sha256.ts': cut(new RegExp(`^ {2}${part}:.*\\n`, 'm')),
      });
      expect(complaints).toContainEqual(expect.stringMatching(new RegExp(`schemes/hmac-sha256.ts: [^]*'${part}'`)));
    },
  );

  it.each(['legacy', 'isShown', 'yields', 'secretOf'])('does not compile: the receiver’s %s', (part) => {
    const complaints = compiler.complaints({
      'packages/receiver/src/verify/schemes/bearer.ts': cut(new RegExp(`^ {2}${part}:.*\\n`, 'm')),
    });
    expect(complaints).toContainEqual(expect.stringMatching(new RegExp(`schemes/bearer.ts: [^]*'${part}'`)));
  });
});

describe('a deprecated scheme', () => {
  it('compiles only where both halves call it so', () => {
    const other = (path: string) => ({ [path]: (text: string) => text.replace('legacy: true', 'legacy: false') });
    const sender = other('src/webhooks/schemes/bearer.ts');
    const receiver = other('packages/receiver/src/verify/schemes/bearer.ts');
    for (const half of [sender, receiver]) {
      expect(compiler.complaints(half)).toContainEqual(expect.stringMatching(/schemes\/index\.ts: [^]*constraint/));
    }
    expect(compiler.complaints({ ...sender, ...receiver })).toEqual([]);
  });
});

it('a scheme that a buyer names and that proves with the agent’s key compiles without credentials', () => {
  const complaints = compiler.complaints({
    ...listed,
    ...agreed,
    ...received,
    [SENT]: put('  bearer,\n', `  'carrier-pigeon': { ...rfc9421, wireName: 'Pigeon', legacy: true },\n`),
  });
  expect(complaints).toEqual([]);
});

it('a scheme that proves with another kind of secret does not compile until attempts know where that comes from', () => {
  const complaints = compiler.complaints({
    'src/webhooks/schemes/scheme.ts': put(
      'SigningKeyScheme | CredentialsScheme',
      ` | { secret: 'certificate'; wireName: 'mTLS' }`,
    ),
  });
  expect(complaints).toContainEqual(expect.stringMatching(/^src\/webhooks\/delivery\/attempt-headers\.ts: /));
});

function escaped(text: string): string {
  return text.replace(/[^\w ]/g, '\\$&');
}
