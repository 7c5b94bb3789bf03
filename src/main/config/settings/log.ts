import { z } from 'zod';
import { flag, traceUrl, url, withoutSlash } from '../setting-values.ts';
import { setting } from './setting.ts';

/** What is for sale, and what is told of the work: logs and traces. */
export const LOG_SETTINGS = {
  CATALOG_DIR: setting(z.string(), './catalog', 'folder of the products, formats and properties for sale'),
  LOG_LEVEL: setting(
    z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'must be a pino level'),
    'info',
    'trace, debug, info, warn, error, fatal or silent',
  ),
  REQUEST_LOG_LEVEL: setting(
    z.enum(['trace', 'debug', 'info', 'warn', 'silent'], 'must be trace, debug, info, warn or silent'),
    'debug',
    'the level at which each request is logged, by its route; so LOG_LEVEL=info shows none unless this is info',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting(
    url(['http:', 'https:'], 'an http or https URL without query or fragment')
      .refine((given) => !/[?#]/.test(given), 'must be an http or https URL without query or fragment')
      .transform(withoutSlash),
    'http://127.0.0.1:4318',
    'where traces are sent, a collector of OTLP over HTTP, without /v1/traces (docs/traces.md); default: nowhere',
  ),
  TRUST_TRACE: setting(
    flag,
    'false',
    'true: the trace that a caller names by traceparent goes on here; false: its own is only linked to it',
  ),
  TRACE_URL: setting(
    traceUrl,
    'https://traces.publisher.example/trace/{trace_id}',
    'where people look at a trace, for links in the console; default: none',
  ),
};
