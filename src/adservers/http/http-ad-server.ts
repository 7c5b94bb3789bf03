import { systemClock } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Outbound } from '../../platform/outbound/outbound-client.ts';
import type { ResponseResult } from '../../platform/outbound/outbound-result.ts';
import type { AdServer } from '../../sales/ad-server/ad-server.ts';
import { Broken, Unreachable } from '../../sales/ad-server/faults.ts';
import { faultOfNoAnswer, faultOfStatus } from './answer-fault.ts';
import { BRIDGE_CALLS } from './bridge-calls.ts';
import type { BridgeAnswer, BridgeCall, BridgeCallName } from './bridge-calls.ts';
import { segmentOf } from './path-id.ts';

export interface HttpAdServerOptions {
  /** Where the ad server's bridge is, such as `http://10.0.0.7:8070`; what stands before `/v1`. */
  url: string;
  /** Sent as `Authorization: Bearer`; in no error, log or message. */
  token: string;
  /** A client that `trustsUrls`, since the address is the operator's own; it stays open. */
  outbound: Pick<Outbound, 'send'>;
  /** Headers that prove who calls, over what is about to be sent; default: none but the token's. */
  sign?: (call: CallToProve) => Promise<Record<string, string>>;
  /** Default: the system's. */
  clock?: Clock;
  /** For look-up, TCP and TLS together. Default 5,000. */
  connectTimeoutMs?: number;
  /** From a call to the last byte of its answer. Default 30,000. */
  callTimeoutMs?: number;
  /** Of the body of an answer; what is larger is `Broken`. Default 8 MiB. */
  maxAnswerBytes?: number;
}

/** A call as it is about to be sent. */
export interface CallToProve {
  method: string;
  url: string;
  body: Uint8Array;
}

/**
 * An ad server that speaks the HTTP bridge (`GET /v1/openapi.json`). Each call is one request, never repeated here; its answer is
 * parsed with the port's schemas. Ask `forecast` and `inventory` only where the description says that they are there.
 * @throws {TypeError} at once for a url or token that no request can carry.
 */
export function createHttpAdServer(options: HttpAdServerOptions): Required<AdServer> {
  const { token, outbound, sign, clock = systemClock } = options;
  const base = checkedBase(options);
  const limits = {
    connectTimeoutMs: options.connectTimeoutMs ?? 5_000,
    totalTimeoutMs: options.callTimeoutMs ?? 30_000,
    maxResponseBytes: options.maxAnswerBytes ?? 8 * 1024 * 1024,
  };
  /** An ad server may repeat in an answer what it was sent. */
  const withoutToken = (text: string) => text.replaceAll(token, '…');

  async function proofOf(call: CallToProve): Promise<Record<string, string>> {
    try {
      return (await sign?.(call)) ?? {};
    } catch (cause) {
      throw new Unreachable('a call of the ad server cannot be signed now', { sent: 'no', cause });
    }
  }

  async function call<Name extends BridgeCallName>(
    name: Name,
    { ids = {}, body, cursor }: CallInput = {},
  ): Promise<BridgeAnswer<Name>> {
    const { method, path, answers }: BridgeCall = BRIDGE_CALLS[name];
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, id: string) => segmentOf(ids[id] ?? ''));
    const query = cursor === undefined ? '' : `?cursor=${encodeURIComponent(cursor)}`;
    const url = base + filled + query;
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const result = await outbound.send({
      url,
      method,
      headers: {
        ...(await proofOf({ method, url, body: bytes ?? NO_BODY })),
        accept: 'application/json',
        'accept-encoding': 'identity',
        authorization: `Bearer ${token}`,
        ...(bytes !== undefined && { 'content-type': 'application/json' }),
      },
      ...(bytes !== undefined && { body: bytes }),
      ...limits,
    });
    const what = withoutToken(`${method} ${filled} of the ad server`);
    if (result.kind !== 'response') throw faultOfNoAnswer(result, what);
    const schema = answers[result.status];
    if (schema === undefined) throw faultOfStatus(result, { what, nowMs: clock.now(), withoutToken });
    const parsed = schema.safeParse(jsonOf(result, what));
    if (parsed.success) return parsed.data as BridgeAnswer<Name>;
    const [issue] = parsed.error.issues;
    const place = issue === undefined || issue.path.length === 0 ? 'the body' : issue.path.join('.');
    throw new Broken(
      withoutToken(`${what} is answered by what is none: ${place}: ${issue?.message ?? 'is not valid'}`),
    );
  }

  return {
    describe: () => call('describe'),
    check: (order) => call('check', { ids: { media_buy_id: order.media_buy_id }, body: order }),
    put: (order) => call('put', { ids: { media_buy_id: order.media_buy_id }, body: order }),
    read: (media_buy_id) => call('read', { ids: { media_buy_id } }),
    statements: (query) => call('statements', { body: query }),
    putCreative: (creative) => {
      const { creative_id, version } = creative;
      return call('putCreative', { ids: { creative_id, version: String(version) }, body: creative });
    },
    forecast: (query) => call('forecast', { body: query }),
    inventory: (cursor) => call('inventory', { ...(cursor !== undefined && { cursor }) }),
  };
}

const NO_BODY = new Uint8Array();

interface CallInput {
  /** By the parameters of the path. */
  ids?: Readonly<Record<string, string>>;
  body?: unknown;
  cursor?: string;
}

function checkedBase({ url, token }: HttpAdServerOptions): string {
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new TypeError('the token of the ad server has characters that no header carries');
  const { protocol, search, hash, username, password } = new URL(url);
  if (!['http:', 'https:'].includes(protocol) || search + hash + username + password !== '')
    throw new TypeError('the url of the ad server must be http or https, without user, query or fragment');
  return url.replace(/[/?#]+$/, '');
}

/** @throws {Broken} for a body that is too large, or no JSON. */
function jsonOf({ body, truncated, status }: ResponseResult, what: string): unknown {
  if (truncated) throw new Broken(`${what} is answered ${status} with more than may be`);
  try {
    return JSON.parse(UTF_8.decode(body));
  } catch {
    // The parser's own error quotes the body.
    throw new Broken(`${what} is answered ${status} with what is no JSON`);
  }
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true });
