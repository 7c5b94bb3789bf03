import type { OutboundResult } from './outbound-result.ts';

export interface OutboundRequest {
  url: string;
  method: 'GET' | 'POST' | 'PUT';
  /** Sent as they are, beside `host`, `connection` and `content-length`, which are not the caller's to set. */
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** For look-up, TCP and TLS together. Default 5,000 (rule W8). */
  connectTimeoutMs?: number;
  /** From the call to the last byte read, whatever drips in meanwhile. Default 15,000 (rule W8). */
  totalTimeoutMs?: number;
  /** Of the body; what comes beyond is dropped with the connection. Default 16,384 (rule W8). */
  maxResponseBytes?: number;
  signal?: AbortSignal;
}

/**
 * Sends one request, once; redirects are answers, not followed. Network outcomes never throw.
 * @throws the signal's reason when it aborts, and an error for a closed client or a header that cannot be sent.
 */
export type Send = (request: OutboundRequest) => Promise<OutboundResult>;
