import { agentKeys, memoryReplayStore, verifyWebhook } from '#receiver';
import type { RefusalCode, Registration } from '#receiver';
import { guardedFetchJson } from '#receiver/node/index';
import { Command } from 'commander';
import { z } from 'zod';
import { ConfigError } from '../config/config-error.ts';
import { readConfig } from '../config/config.ts';
import type { Terminal } from '../operator-cli/session.ts';
import { facts } from '../operator-cli/table.ts';
import { messageOf } from '../process/process.ts';
import { readGiven, readJsonFile } from './given-files.ts';
import { NotDone } from './not-done.ts';
import { readHead } from './read-head.ts';

interface Options {
  headers: string;
  body: string;
  url?: string;
  card?: string;
  jwks?: string;
  secretEnv?: string;
  at?: string;
  json?: true;
}

const KeySet = z.object({ keys: z.array(z.record(z.string(), z.unknown())) });

/** What each refusal says failed; a number is the step of the checklist of signatures (rule W12). */
const STEPS: Record<RefusalCode, string> = {
  webhook_content_type_unsupported: 'before the signature: Content-Type is application/json, and nothing is compressed',
  webhook_body_too_large: 'before the signature: the size of the body',
  webhook_mode_mismatch: 'before the signature: it is authenticated as was registered',
  webhook_signature_header_malformed: '1, the headers of the signature can be read',
  webhook_signature_params_incomplete: '2, every parameter of the signature is there',
  webhook_signature_tag_invalid: '3, the tag is that of webhooks',
  webhook_signature_alg_not_allowed: '4, the algorithm is allowed',
  webhook_signature_window_invalid: '5, the signature is of now; --at says another time',
  webhook_signature_components_incomplete: '6, the signature covers all that it must',
  webhook_signature_key_unknown: '7, the key is published',
  webhook_signature_key_purpose_invalid: '8, the key is for signing webhooks',
  webhook_signature_key_revoked: '9, the key is not revoked',
  webhook_signature_revocation_stale: '9, the list of revoked keys is fresh',
  webhook_signature_rate_abuse: '9 and 13, there is room to remember the nonce',
  webhook_target_uri_malformed: '10, the URL that was called is one; see --url',
  webhook_signature_invalid: '10, the signature is over these headers and this URL, by this key',
  webhook_signature_digest_mismatch: '11, the digest is of this body',
  webhook_signature_replayed: '12, the nonce is new',
  webhook_body_malformed: '14, the body is JSON that reads in one way',
  webhook_verifier_unavailable: 'the keys could not be fetched',
};

/** `verify`: whether a webhook that was kept proves where it comes from, by the kit that buyers receive with. */
export function verifyCommand({ env, write }: Terminal): Command {
  return new Command('verify')
    .description('Verify the signature of a webhook that was kept, and say which step fails.')
    .requiredOption('--headers <file>', 'the headers as they came: lines of a request, or a JSON object')
    .requiredOption('--body <file>', 'the body, byte for byte')
    .option('--url <url>', 'the URL that was called; default: of the request line and Host, by https')
    .option('--card <url>', 'the seller’s agent, whose keys are fetched through its brand.json')
    .option('--jwks <file>', 'its keys, as a file')
    .option('--secret-env <name>', 'the variable with the shared secret, for webhooks with HMAC')
    .option('--at <time>', 'verify as of this time, as in 2026-11-24T10:00:00Z; default: now')
    .option('--json', 'print the answer as one line of JSON')
    .action(async (options: Options) => {
      const registration = await registered(options, env);
      const head = readHead((await readGiven('--headers', options.headers)).toString('latin1'));
      const url = options.url ?? head.url;
      if (url === undefined) throw new ConfigError(['--url is needed: --headers has no request line with a Host']);
      const now = options.at === undefined ? Date.now() : Date.parse(options.at);
      if (Number.isNaN(now)) throw new ConfigError(['--at must be a time, as in 2026-11-24T10:00:00Z']);
      const rawBody = await readGiven('--body', options.body);
      const request = { method: head.method, url, headers: head.headers, rawBody };
      const protocol = readConfig(env, { allowLoopback: true }).protocolName;
      const rules = { replay: memoryReplayStore(), now: () => now, protocol };
      const verdict = await verifyWebhook(request, registration, rules).catch((error: unknown) => {
        throw error instanceof RangeError ? new ConfigError([error.message]) : error;
      });
      const step = verdict.ok ? undefined : STEPS[verdict.code];
      const { sender, keyid, code, reason } = { sender: undefined, keyid: undefined, ...verdict } as Told;
      const shown = facts([
        ['verified', verdict.ok ? 'yes' : 'no'],
        ['sender', sender],
        ['key', keyid],
        ['failed at step', step],
        ['code', code],
        ['found', reason],
      ]);
      write(options.json === true ? `${JSON.stringify({ ...verdict, ...(step !== undefined && { step }) })}\n` : shown);
      if (!verdict.ok) throw new NotDone();
    });
}

interface Told {
  sender?: string;
  keyid?: string;
  code?: string;
  reason?: string;
}

/** What the buyer has agreed with the seller, as far as verifying goes. */
async function registered({ card, jwks, secretEnv }: Options, env: NodeJS.ProcessEnv): Promise<Registration> {
  if ([card, jwks, secretEnv].filter((given) => given !== undefined).length !== 1) {
    throw new ConfigError(['one of --card, --jwks and --secret-env is needed']);
  }
  if (secretEnv !== undefined) {
    const secret = env[secretEnv];
    if (secret === undefined || secret === '') throw new ConfigError([`--secret-env: ${secretEnv} is not set`]);
    return { mode: 'hmac-sha256', sender: 'seller', secret };
  }
  if (jwks !== undefined) {
    const keys = KeySet.safeParse(await readJsonFile('--jwks', jwks));
    if (!keys.success) throw new ConfigError([`--jwks: ${jwks} is no JSON Web Key Set`]);
    return { mode: 'rfc9421', jwks: keys.data };
  }
  try {
    const agentUrl = (card ?? '').replace(/\/\.well-known\/.*$/, '');
    return {
      mode: 'rfc9421',
      resolveKey: agentKeys({ agentUrl, fetchJson: guardedFetchJson({ allowLoopback: true }) }),
    };
  } catch (error) {
    throw new ConfigError([`--card: ${messageOf(error)}`]);
  }
}
