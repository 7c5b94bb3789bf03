import { createOutbound } from '../../src/platform/outbound/outbound-client.ts';
import type { Outbound, OutboundOptions } from '../../src/platform/outbound/outbound-client.ts';
import { LONG_MS } from './until.ts';

/** A way out that gives others as long as they take, where who asks sets no limit: no machine is too slow for it. */
export function patientOutbound(options: OutboundOptions): Outbound {
  const outbound = createOutbound(options);
  const [connectTimeoutMs, totalTimeoutMs] = [LONG_MS, LONG_MS];
  return {
    ...outbound,
    send: (request) => outbound.send({ connectTimeoutMs, totalTimeoutMs, ...request }),
    fetchBytes: (url, fetching) => outbound.fetchBytes(url, { connectTimeoutMs, totalTimeoutMs, ...fetching }),
    fetchJson: (url, fetching) => outbound.fetchJson(url, { connectTimeoutMs, totalTimeoutMs, ...fetching }),
  };
}
