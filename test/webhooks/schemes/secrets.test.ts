import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { toTimestamp } from '../../../src/platform/clock.ts';
import { createEmbeddedStore } from '../../../src/platform/store/sqlite/collection-embedded.ts';
import { UnreadableRowError } from '../../../src/platform/store/collection-rows.ts';
import { createLogger } from '../../../src/platform/log.ts';
import type { Registration } from '../../../src/runtime/registration.ts';
import { WEBHOOK_MODES } from '../../../src/runtime/webhook-modes.ts';
import type { WebhookMode } from '../../../src/runtime/webhook-modes.ts';
import { attemptHeaders } from '../../../src/webhooks/delivery/attempt-headers.ts';
import { buyChannel } from '../../../src/webhooks/registration/buy-channel.ts';
import { Deliveries, Delivery } from '../../../src/webhooks/delivery/delivery.ts';
import { keysOf, memoryReplayStore, verifyWebhook } from '#receiver';
import type { Registration as Agreed } from '#receiver';
import { SCHEMES } from '../../../src/webhooks/schemes/index.ts';
import { mediaBuyId, organizationId } from '../../support/ids.ts';
import { openReceiver } from '../support/open-receiver.ts';
import type { Receiver } from '../support/open-receiver.ts';
import type { Received } from '../support/received.ts';
import { openSender, storedRun, withStatuses } from '../support/open-sender.ts';
import type { Sender } from '../support/open-sender.ts';
import { registration } from '../support/registrations.ts';
import { mutatingTask } from '../support/task-definitions.ts';

const CHANNELS = ['input', 'a2a 0.3', 'a2a 1.0', 'reporting webhook'] as const;
type Channel = (typeof CHANNELS)[number];

/** The only places where the buyer's credentials may show. */
const CREDENTIALS_IN: Record<WebhookMode, string[]> = { rfc9421: [], 'hmac-sha256': [], bearer: ['authorization'] };
/** The only places where the buyer's token may show. */
const TOKEN_IN: Record<Channel, string[]> = {
  input: ['body'],
  'a2a 0.3': ['x-a2a-notification-token'],
  'a2a 1.0': ['x-a2a-notification-token'],
  'reporting webhook': ['body'],
};

/** A webhook with secrets of its own, and what came of it. */
interface Cell {
  mode: WebhookMode;
  channel: Channel;
  credentials: string;
  token: string;
  received: Received;
}

let sender: Sender;
let receiver: Receiver;
let cells: Cell[] = [];

/** All of them at once, on one task and one buy, so that what belongs to one stands beside what belongs to the others. */
beforeAll(async () => {
  sender = await openSender({ allowLegacyBearer: true });
  receiver = await openReceiver();
  const made = WEBHOOK_MODES.flatMap((mode) =>
    CHANNELS.map((channel) => {
      const path = `/${mode}/${channel.replaceAll(' ', '-')}`;
      return { mode, channel, path, credentials: secret('credentials'), token: secret('token') };
    }),
  );
  const registered: Registration[] = [];
  for (const { mode, channel, path, credentials, token } of made) {
    const name = SCHEMES[mode].wireName;
    const config = { url: receiver.url(path), token, operation_id: path };
    const listed = name === null ? {} : { authentication: { schemes: [name], credentials } };
    if (channel === 'reporting webhook') {
      const sealed = sender.webhooks.sealBuyChannel({ ...config, ...listed }, 'reporting_webhook');
      registered.push(buyChannel(sealed, path, toTimestamp(sender.clock.now())));
      continue;
    }
    const one = name === null ? {} : { authentication: { scheme: name.toLowerCase(), credentials } };
    const { notifier } = sender.webhooks;
    const { operation_id: _, ...native } = { ...config, id: path };
    const made = {
      input: () => notifier.register({ channel: 'mcp', config: { ...config, ...listed }, field: 'f' }, mutatingTask),
      'a2a 0.3': () =>
        notifier.register({ channel: 'a2a', wire: '0.3', config: { ...native, ...listed }, field: 'f' }, mutatingTask),
      'a2a 1.0': () =>
        notifier.register({ channel: 'a2a', wire: '1.0', config: { ...native, ...one }, field: 'f' }, mutatingTask),
    }[channel];
    registered.push(await made());
  }
  const ofTask = registered.filter(({ registration_id }) => !registration_id.includes('reporting'));
  const run = await storedRun(sender, ofTask);
  await sender.webhooks.notifier.notify(withStatuses(run, { state: 'working' }));
  const timestamp = toTimestamp(sender.clock.now());
  const news = {
    organization_id: organizationId('buyer'),
    subject_id: mediaBuyId('buy'),
    task_id: 'news',
    task_type: 'delivery',
    sequence: 1,
  };
  const told = {
    event: 'report',
    idempotency_key: randomBytes(16).toString('hex'),
    timestamp,
    message: 'm',
    result: {},
  };
  const ofBuy = registered.filter((one) => !ofTask.includes(one));
  await sender.webhooks.enqueue(ofBuy.map((one) => ({ ...news, ...told, registration: one })));
  const rows = [...(await sender.deliveriesOf(run.task_id)), ...(await sender.deliveriesOf('news'))];
  for (const row of rows) await sender.attempt(row);
  cells = made.flatMap(({ path, ...cell }) => {
    const received = receiver.received.find((request) => request.path === path);
    return received === undefined ? [] : [{ ...cell, received }];
  });
});
afterAll(async () => {
  await receiver.close();
  await sender.close();
});

describe('[W4] no secret leaves in another scheme’s place', () => {
  it.each(WEBHOOK_MODES.flatMap((mode) => CHANNELS.map((channel) => [mode, channel] as const)))(
    '[W4] %s over %s shows its own credentials and token in their own places, and nothing of any other webhook',
    (mode, channel) => {
      const cell = cells.find((one) => one.mode === mode && one.channel === channel);
      if (cell === undefined) throw new Error('it was not delivered');
      const { received, credentials, token } = cell;
      expect(placesOf(credentials, received)).toEqual(CREDENTIALS_IN[mode]);
      expect(placesOf(token, received)).toEqual(TOKEN_IN[channel]);
      const others = cells.filter((one) => one !== cell).flatMap((one) => [one.credentials, one.token]);
      expect(others.flatMap((text) => placesOf(text, received))).toEqual([]);
    },
  );

  it('[W4] nor does the agent’s private key, nor any of them in the log or, in clear, in the store', async () => {
    expect(cells).toHaveLength(WEBHOOK_MODES.length * CHANNELS.length);
    const { privateKey } = await sender.webhooks.keys.webhookSigner();
    const { d = '' } = privateKey.export({ format: 'jwk' });
    expect(d).not.toBe('');
    expect(cells.flatMap(({ received }) => placesOf(d, received))).toEqual([]);
    const { rows } = await sender.deliveries.find({ where: {}, limit: 1000 });
    const written = JSON.stringify(rows) + sender.logged.join('');
    const secrets = [d, ...cells.flatMap(({ credentials, token }) => [credentials, token])];
    expect(secrets.filter((text) => spellings(text).some((spelling) => written.includes(spelling)))).toEqual([]);
  });

  it('[W4] [W12] and each is verified by its own scheme’s receiver and by no other', async () => {
    const jwks = await sender.webhooks.jwks();
    for (const { mode, credentials, received } of cells) {
      const agreed: { [Mode in WebhookMode]: Extract<Agreed, { mode: Mode }> } = {
        rfc9421: { mode: 'rfc9421', resolveKey: keysOf(jwks) },
        'hmac-sha256': { mode: 'hmac-sha256', sender: 'agent', secret: credentials },
        bearer: { mode: 'bearer', sender: 'agent', token: credentials },
      };
      for (const other of WEBHOOK_MODES) {
        const rules = { replay: memoryReplayStore(), now: () => sender.clock.now() };
        const verdict = await verifyWebhook(received, agreed[other], rules);
        expect([mode, other, verdict.ok]).toEqual([mode, other, mode === other]);
      }
    }
  });

  it('[W4] [W12] and its receiver refuses it when it was proved with another secret, or says something else', async () => {
    const jwks = await sender.webhooks.jwks();
    const { x } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
    const forged = { keys: jwks.keys.map((key) => ({ ...key, x }) as typeof key) };
    for (const { mode, credentials, received } of cells) {
      const agreedOn = (
        published: typeof jwks,
        shared: string,
      ): { [Mode in WebhookMode]: Extract<Agreed, { mode: Mode }> } => ({
        rfc9421: { mode: 'rfc9421', resolveKey: keysOf(published) },
        'hmac-sha256': { mode: 'hmac-sha256', sender: 'agent', secret: shared },
        bearer: { mode: 'bearer', sender: 'agent', token: shared },
      });
      const rules = { replay: memoryReplayStore(), now: () => sender.clock.now() };
      const other = await verifyWebhook(received, agreedOn(forged, secret('another'))[mode], rules);
      expect([mode, other.ok]).toEqual([mode, false]);
      const rawBody = Buffer.concat([received.rawBody, Buffer.from(' ')]);
      const changed = await verifyWebhook({ ...received, rawBody }, agreedOn(jwks, credentials)[mode], rules);
      // Nothing protects the body of the deprecated bearer mode.
      expect([mode, changed.ok]).toEqual([mode, mode === 'bearer']);
    }
  });
});

describe('a stored webhook of a mode that this release does not know', () => {
  it('is not sent: its row does not read', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'mba-unknown-mode-'));
    const file = join(dir, 'store.db');
    const logger = createLogger('silent');
    const newer = createEmbeddedStore({ file, logger });
    const older = createEmbeddedStore({ file, logger });
    const reading = await openSender({ store: older });
    try {
      const rows = newer.collection({ ...Deliveries, schema: Delivery.extend({ mode: z.string() }) });
      await newer.prepare();
      await older.prepare();
      const row = { ...(await recorded('bearer')), mode: 'carrier-pigeon' };
      await rows.insert(row);
      const before = receiver.received.length;
      const job = { delivery_id: row.delivery_id, attempt: 1, destination: row.destination };
      const attempt = reading.webhooks.attempt(job, new AbortController().signal);
      await expect(attempt).rejects.toThrow(UnreadableRowError);
      await reading.webhooks.reconcile(0);
      expect(receiver.received.length).toBe(before);
      expect((await rows.get(row.delivery_id))?.attempts).toEqual([]);
    } finally {
      await reading.close();
      await newer.close();
      await older.close();
      await rm(dir, { recursive: true, force: true });
    }
  });

  it.each(['carrier-pigeon', '', 'constructor', '__proto__', 'Bearer'])(
    'is not signed either, were %j to be read',
    async (mode) => {
      const row = { ...(await recorded('bearer')), mode } as unknown as Delivery;
      await expect(headersOf(row)).rejects.toThrow(/^no webhook scheme is called/);
    },
  );

  it('is not made of a buy’s channel that names unknown schemes', () => {
    const authentication = { schemes: ['Pigeon' as 'Bearer'], credentials: 'sealed' };
    expect(() => buyChannel({ url: receiver.url(), authentication }, 'r', 't')).toThrow(
      'no webhook scheme is called Pigeon',
    );
  });

  it('nor is one sent that has lost its credentials', async () => {
    const { sealed_credentials: _, ...row } = await recorded('hmac-sha256');
    await expect(headersOf(row)).rejects.toThrow('has no credentials to prove with');
  });
});

/** A delivery that is stored and owes its first attempt. */
async function recorded(mode: WebhookMode): Promise<Delivery> {
  const run = await storedRun(sender, [registration(receiver.url(), { mode })]);
  await sender.webhooks.notifier.notify(withStatuses(run, { state: 'working' }));
  return sender.deliveryOf(run.task_id);
}

function headersOf(row: Delivery): ReturnType<typeof attemptHeaders> {
  const deps = { ...sender.dependencies, keySet: sender.webhooks.keys };
  return attemptHeaders(deps, row, { url: row.url, body: Buffer.from(row.body) });
}

function secret(kind: string): string {
  return `${kind}-${randomBytes(24).toString('base64url')}`;
}

/** The parts of a request that hold this secret, in whatever spelling. */
function placesOf(text: string, { path, headers, rawBody }: Received): string[] {
  const parts = { ...headers, path, body: rawBody.toString('latin1') };
  return Object.entries(parts)
    .filter(([name, part]) => spellings(text).some((spelling) => part.includes(spelling) || name.includes(spelling)))
    .map(([name]) => name);
}

/** A secret as it is, in hex, and as it would stand inside a longer text in base64, at each of the three offsets. */
function spellings(text: string): string[] {
  const bytes = Buffer.from(text);
  const inside = [0, 1, 2].flatMap((skipped) => {
    const whole = bytes.subarray(skipped, skipped + 3 * Math.floor((bytes.length - skipped) / 3));
    return [whole.toString('base64'), whole.toString('base64url')];
  });
  return [text, bytes.toString('hex'), encodeURIComponent(text), ...inside];
}
