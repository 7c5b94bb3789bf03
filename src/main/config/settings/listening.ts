import { corsOrigins, grpcAddress, proxies, text, url, wholeNumber, withoutSlash } from '../setting-values.ts';
import { setting } from './setting.ts';

/** Where this agent listens, and what it is called by. */
export const LISTENING_SETTINGS = {
  PORT: setting(wholeNumber(0, 65535), '8080', 'port to listen on; 0 picks a free one'),
  HOST: setting(text(/^[\w.:-]+$/, 'must be a host name or address'), '127.0.0.1', 'address to listen on'),
  GRPC_PORT: setting(
    wholeNumber(1, 65535),
    '50051',
    'port of A2A over gRPC, without TLS: put it behind a proxy that adds it (docs/calling.md); default: no gRPC',
  ),
  GRPC_PUBLIC_URL: setting(
    grpcAddress,
    'https://grpc.publisher.example',
    'where buyers reach that port through a proxy, as the card says it; default: the host of PUBLIC_URL with GRPC_PORT',
  ),
  METRICS_PORT: setting(
    wholeNumber(0, 65535),
    '9464',
    'port where this process shows what it measures, at /metrics, without credentials; default: nowhere',
  ),
  METRICS_HOST: setting(
    text(/^[\w.:-]+$/, 'must be a host name or address'),
    '127.0.0.1',
    'address of that port; whoever reaches it may read it',
  ),
  PUBLIC_URL: setting(
    url(['http:', 'https:'], 'an http or https URL without query or fragment')
      .refine((given) => !/[?#]/.test(given), 'must be an http or https URL without query or fragment')
      .transform(withoutSlash),
    'https://sales.publisher.example',
    'what buyers call this agent by; default: the address it listens on',
  ),
  TRUST_PROXY: setting(
    proxies,
    'false',
    'how many proxies in front of this server to believe about who calls; default: none, and with one npm start is no demo',
  ),
  DRAIN_SECONDS: setting(
    wholeNumber(0, 600),
    '5',
    'how long a server that is told to stop still answers, with 503 at /readyz, and a worker finishes what it has begun (docs/restarting.md); default: 5, or 0 where only this machine reaches it',
  ),
  A2A_CORS_ORIGINS: setting(
    corsOrigins,
    'https://app.buyer.example',
    'whose pages may call /a2a and /mcp from a browser, origins with commas between, or * for all; default: nobody',
  ),
};
