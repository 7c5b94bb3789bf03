import { isOfProxy } from '../../platform/outbound/failure.ts';
import type { ConnectionFailure } from '../../platform/outbound/failure.ts';
import type { Attempt } from '../delivery/delivery.ts';

/** What went wrong in an attempt, as far as advice depends on it. */
type Trouble = Pick<Attempt, 'status' | 'http_status_code' | 'error_message' | 'signature_error'>;

/** What a receiver can do about an attempt that it did not take; undefined for one that it took. */
export function adviceFor(trouble: Trouble): string | undefined {
  switch (trouble.status) {
    case 'success':
      return undefined;
    case 'failed':
      return adviceForAnswer(trouble);
    case 'timeout':
      if (isOfProxy(trouble.error_message)) return OUR_TROUBLE;
      return trouble.error_message?.endsWith(ANSWERING) === true ? SLOW_ANSWER : SLOW_CONNECTION;
    case 'connection_error':
      return adviceForConnection(trouble.error_message ?? '');
  }
}

/** The words of `classify` for time that ran out once the request was sent. */
const ANSWERING = 'the answer';

/** What is said where the way out is to blame. */
const OUR_TROUBLE = 'this is our trouble, on the way out of our network: nothing is lost, and it is tried again';

const SLOW_ANSWER =
  'answer 2xx within 15 seconds of the connection: store the event, answer, and work on it afterwards';
const SLOW_CONNECTION =
  'nothing answered within 5 seconds: check that the name leads to the right address, and that a firewall lets the port through';

/** The first row that fits decides. */
const BY_STATUS: readonly { fits: (status: number) => boolean; advice: string }[] = [
  {
    fits: (status) => status === 401 || status === 403,
    advice:
      'it refused our proof: compare the mode it expects with the one registered, and see that it verifies with our published keys, or with the credentials that were registered',
  },
  {
    fits: (status) => status === 404,
    advice:
      'check the path of the URL; a receiver that asks which operations are its own answers 404 to an operation_id it does not know',
  },
  { fits: (status) => status === 405, advice: 'webhooks are sent by POST: let the path take POST' },
  { fits: (status) => status === 408 || status === 504, advice: SLOW_ANSWER },
  {
    fits: (status) => status === 410,
    advice: '410 ends the registration for good: answer 404 or 503 while an endpoint is only away, and register again',
  },
  { fits: (status) => status === 413, advice: 'bodies have up to 1 MB: raise the limit in front of the receiver' },
  { fits: (status) => status === 415, advice: 'the content type is application/json: let the receiver take it' },
  {
    fits: (status) => status === 429,
    advice: 'we go slower by Retry-After; raise the limit for this path if that is too slow',
  },
  {
    fits: (status) => status >= 300 && status < 400,
    advice: 'redirects are not followed: register the URL that the redirect leads to',
  },
  {
    fits: (status) => status >= 400 && status < 500,
    advice: 'its own log says why it refused the request; what is refused is not tried again',
  },
  {
    fits: (status) => status >= 500,
    advice: "its own log says why it failed; a proxy's 502 or 503 means that nothing stands behind it",
  },
];

function adviceForAnswer({ http_status_code = 0, signature_error }: Trouble): string {
  if (signature_error !== undefined) return ADVICE_FOR_SIGNATURE[signature_error] ?? SIGNATURE;
  return BY_STATUS.find(({ fits }) => fits(http_status_code))?.advice ?? 'the answer is not valid HTTP';
}

const SIGNATURE =
  'its signature_error says what is wrong with our signature: verify over the bytes as they came, before any parser, with the key that keyid names in our published key set';

/** By the code of the receiver's challenge (rule W12), where more can be said than that the signature was refused. */
const ADVICE_FOR_SIGNATURE: Readonly<Partial<Record<string, string>>> = {
  webhook_signature_window_invalid: 'set its clock: signatures are good for 300 seconds, with 60 allowed',
  webhook_signature_key_unknown:
    'fetch our key set again: keys rotate, and a key that is not known must be looked up once before it is refused',
  webhook_signature_digest_mismatch:
    'take the digest over the raw bytes of the body: something before the receiver has parsed or changed them',
  webhook_signature_invalid:
    'compute the target URI from the public URL that was registered: behind a proxy, host, scheme or path may read otherwise',
  webhook_target_uri_malformed: 'it reads another URL than was registered: tell it its public URL',
  webhook_signature_replayed:
    'each attempt has a nonce of its own: the receiver, or a proxy, has let one through twice',
  webhook_mode_mismatch: 'it expects another mode than was registered: make both the same',
};

function adviceForConnection(message: string): string {
  if (message.startsWith('address refused'))
    return 'the name leads to an address that webhooks are never sent to, such as a private one: use one that is public';
  return Object.hasOwn(BY_FAILURE, message)
    ? BY_FAILURE[message as ConnectionFailure]
    : BY_FAILURE['connection failed'];
}

const BY_FAILURE: Record<ConnectionFailure, string> = {
  'dns name not found': 'the name has no address: check its spelling and its DNS records',
  'dns lookup failed': 'the name servers did not answer: check the DNS of the domain',
  'connection refused': 'nothing listens on that port: start the receiver, or correct the port',
  'connection reset': 'the other side cut the connection off: look at the proxy or firewall in front of the receiver',
  'connection closed': 'the connection ended before an answer came: the receiver, or a proxy, gave up on the request',
  'host unreachable': 'no route leads to that address: check where the name leads, and the firewall',
  'tls certificate invalid':
    'the certificate is expired, for another name, or without its chain: serve one that browsers trust, with all intermediates',
  'tls handshake failed': 'no TLS could be agreed on: serve TLS 1.2 or 1.3 on that port',
  'response is not valid http': 'what answered speaks no HTTP/1.1: check the port',
  'response headers too large': 'the answer has too many headers: answer with few',
  'out of local resources': 'this is our trouble: try again later',
  'proxy unreachable': OUR_TROUBLE,
  'proxy refused our credentials': OUR_TROUBLE,
  'proxy refused the destination': 'our network lets nothing through to there: ask the seller to allow it',
  'proxy failed':
    'our proxy did not get there: check that the name leads to the right address and that the receiver answers; else it is our trouble',
  'connection failed': 'the connection failed: try again, and look at the proxy or firewall in front of the receiver',
};
