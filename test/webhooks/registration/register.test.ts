import { describe, expect, it } from 'vitest';
import { randomIds, systemClock } from '../../../src/platform/clock.ts';
import { AppError } from '../../../src/platform/errors.ts';
import { registeredUrl } from '../../../src/platform/crypto/sealed-url.ts';
import { sealer } from '../../../src/platform/crypto/sealer.ts';
import type { RegistrationRequest } from '../../../src/runtime/notifier.ts';
import type { TaskDefinition } from '../../../src/runtime/task-definition.ts';
import { registerWebhook } from '../../../src/webhooks/registration/register.ts';
import { sealedFor } from '../../../src/webhooks/registration/webhook-target.ts';
import { SECRET } from '../support/open-sender.ts';
import { inlineOnlyTask, mutatingTask, readingTask } from '../support/task-definitions.ts';

const seals = sealer(SECRET);
const deps = { sealer: seals, clock: systemClock, ids: randomIds, allowLoopback: false, allowLegacyBearer: false };
const CREDENTIALS = 'c0rrect-horse-battery-staple-0123456789';
const config = { url: 'https://buyer.example/hook?x=1', operation_id: 'op-1' };

const byInput = (given: unknown, definition: TaskDefinition = mutatingTask, changes: Partial<typeof deps> = {}) =>
  registerWebhook(
    { ...deps, ...changes },
    { channel: 'mcp', config: given, field: 'push_notification_config' },
    definition,
  );

function refusal(run: () => unknown): { code: string; field: string | undefined } {
  try {
    run();
  } catch (error) {
    if (error instanceof AppError) return { code: error.code, field: error.details.field };
    throw error;
  }
  throw new Error('not refused');
}

describe('a registration in the input of a task', () => {
  it('keeps the URL and the operation id verbatim, and signs unless asked otherwise', () => {
    const { url, ...registered } = byInput(config);
    expect(registered).toMatchObject({ operation_id: config.operation_id, channel: 'mcp', mode: 'rfc9421' });
    expect(registeredUrl(seals, url)).toBe(config.url);
  });

  it('[W2] without operation_id is INVALID_REQUEST at push_notification_config.operation_id', () => {
    const expected = { code: 'INVALID_REQUEST', field: 'push_notification_config.operation_id' };
    expect(refusal(() => byInput({ url: config.url }))).toEqual(expected);
    expect(refusal(() => byInput({ url: 17 }))).toEqual(expected);
    expect(refusal(() => byInput({}))).toEqual(expected);
  });

  it.each([
    [{ ...config, operation_id: '' }, 'push_notification_config.operation_id'],
    [{ ...config, operation_id: 7 }, 'push_notification_config.operation_id'],
    [{ operation_id: 'op' }, 'push_notification_config.url'],
    [{ ...config, url: `https://buyer.example/${'x'.repeat(2048)}` }, 'push_notification_config.url'],
    [{ ...config, callback: 'https://x.example' }, 'push_notification_config.callback'],
    [{ ...config, token: '' }, 'push_notification_config.token'],
    [
      { ...config, authentication: { schemes: ['Basic'], credentials: CREDENTIALS } },
      'push_notification_config.authentication.schemes[0]',
    ],
  ])('that is malformed names the field: %j', (given, field) => {
    expect(refusal(() => byInput(given))).toEqual({ code: 'VALIDATION_ERROR', field });
  });

  it('[W3] on a task that is answered at once is refused, by either channel', () => {
    expect(refusal(() => byInput(config, inlineOnlyTask))).toEqual({
      code: 'INVALID_REQUEST',
      field: 'push_notification_config',
    });
    const native = { channel: 'a2a', wire: '0.3', config, field: 'configuration.pushNotificationConfig' } as const;
    expect(refusal(() => registerWebhook(deps, native, inlineOnlyTask))).toEqual({
      code: 'INVALID_REQUEST',
      field: 'configuration.pushNotificationConfig',
    });
  });

  it.each([
    'http://buyer.example/hook',
    'ftp://buyer.example/hook',
    'https://user:secret@buyer.example/hook',
    'https://buyer.example:22/hook',
    'https://127.0.0.1/hook',
    'https://[::1]/hook',
    'https://169.254.169.254/latest/meta-data',
    'https://2130706433/hook',
    'https://0x7f.1/hook',
    'https://[::ffff:10.0.0.1]/hook',
    'https://localhost/hook',
    'not a url',
    '/hook',
  ])('[W16] to %s is refused at its url', (url) => {
    expect(refusal(() => byInput({ ...config, url }))).toEqual({
      code: 'ADDRESS_REFUSED',
      field: 'push_notification_config.url',
    });
  });

  it.each(['http://127.0.0.1:9/hook', 'http://localhost:9/', 'http://[::1]:9/', 'http://buyer.localhost/hook'])(
    '[W16] to %s, this machine, passes only when that is allowed',
    (url) => {
      expect(byInput({ ...config, url }, mutatingTask, { allowLoopback: true }).url).toBe(url);
      expect(refusal(() => byInput({ ...config, url })).code).toBe('ADDRESS_REFUSED');
    },
  );

  it.each(['http://buyer.example/hook', 'http://8.8.8.8/hook', 'https://buyer.example:22/'])(
    '[W16] to %s never passes, by http or at such a port',
    (url) => {
      expect(refusal(() => byInput({ ...config, url }, mutatingTask, { allowLoopback: true }))).toEqual({
        code: 'ADDRESS_REFUSED',
        field: 'push_notification_config.url',
      });
    },
  );
});

describe('[W4] the legacy authentication block', () => {
  const withAuthentication = (schemes: string[], credentials: string) => ({
    ...config,
    authentication: { schemes, credentials },
  });

  it('[W4] selects HMAC, with the secret sealed for this URL alone', () => {
    const registration = byInput(withAuthentication(['HMAC-SHA256'], CREDENTIALS));
    expect(registration).toMatchObject({ mode: 'hmac-sha256', scheme: 'HMAC-SHA256' });
    expect(JSON.stringify(registration)).not.toContain(CREDENTIALS);
    const { sealed_credentials = '' } = registration;
    expect(seals.open(sealed_credentials, sealedFor(config.url))).toBe(CREDENTIALS);
    expect(() => seals.open(sealed_credentials, sealedFor('https://elsewhere.example/'))).toThrow();
  });

  it('[W4] takes HMAC where both are offered, since it protects the body', () => {
    expect(byInput(withAuthentication(['Bearer', 'HMAC-SHA256'], CREDENTIALS)).mode).toBe('hmac-sha256');
  });

  it.each(['short', 'x'.repeat(31), 'a'.repeat(64), ''])('[W4] refuses the credentials %j', (credentials) => {
    expect(refusal(() => byInput(withAuthentication(['HMAC-SHA256'], credentials)))).toEqual({
      code: 'INVALID_REQUEST',
      field: 'push_notification_config.authentication.credentials',
    });
  });

  it('[W4] refuses Bearer for a task that changes something, unless it is allowed', () => {
    const bearer = withAuthentication(['Bearer'], CREDENTIALS);
    expect(refusal(() => byInput(bearer))).toEqual({
      code: 'INVALID_REQUEST',
      field: 'push_notification_config.authentication.schemes',
    });
    expect(byInput(bearer, mutatingTask, { allowLegacyBearer: true }).mode).toBe('bearer');
    expect(byInput(bearer, readingTask).mode).toBe('bearer');
  });

  it('[W4] refuses a bearer token that a header could not carry', () => {
    const bearer = withAuthentication(['Bearer'], `${CREDENTIALS}\r\nX-Evil: 1`);
    expect(refusal(() => byInput(bearer, readingTask)).field).toBe(
      'push_notification_config.authentication.credentials',
    );
  });

  it('[W4] never puts credentials into a refusal', () => {
    for (const credentials of ['sh0rt-secret', `${CREDENTIALS} with space`]) {
      try {
        byInput(withAuthentication(['Bearer'], credentials), readingTask);
        throw new Error('not refused');
      } catch (error) {
        expect(JSON.stringify(error) + String(error)).not.toContain(credentials);
      }
    }
  });
});

describe('[W5] an A2A-native registration', () => {
  const native = (wire: '0.3' | '1.0', given: unknown, definition = readingTask) => {
    const request: RegistrationRequest = { channel: 'a2a', wire, config: given, field: 'configuration' };
    return registerWebhook({ ...deps, allowLegacyBearer: true }, request, definition);
  };

  it('[W5] of 0.3 keeps its id, seals its token and takes the schemes it lists', () => {
    const registration = native('0.3', {
      id: 'mine',
      url: config.url,
      token: 'shown back',
      authentication: { schemes: ['bearer'], credentials: CREDENTIALS },
    });
    expect(registration).toMatchObject({
      registration_id: 'mine',
      channel: 'a2a',
      wire: '0.3',
      mode: 'bearer',
      scheme: 'bearer',
    });
    expect(seals.open(registration.sealed_token ?? '', sealedFor(config.url))).toBe('shown back');
  });

  it('[W5] of 1.0 takes its one scheme, and empty strings as absent', () => {
    const registration = native('1.0', {
      id: '',
      taskId: 't',
      url: config.url,
      token: '',
      authentication: { scheme: 'HMAC-SHA256', credentials: CREDENTIALS },
    });
    expect(registration).toMatchObject({ wire: '1.0', mode: 'hmac-sha256' });
    expect(registration.registration_id).not.toBe('');
    expect(registration).not.toHaveProperty('sealed_token');
    expect(native('1.0', { url: config.url, authentication: { scheme: '', credentials: '' } }).mode).toBe('rfc9421');
  });

  it('[W5] refuses a token that its header could not carry, and a scheme nobody knows', () => {
    expect(refusal(() => native('0.3', { url: config.url, token: 'a\nb' }))).toEqual({
      code: 'INVALID_REQUEST',
      field: 'configuration.token',
    });
    expect(refusal(() => native('0.3', { url: config.url, authentication: { schemes: ['Basic'] } }))).toEqual({
      code: 'INVALID_REQUEST',
      field: 'configuration.authentication.schemes',
    });
  });
});
