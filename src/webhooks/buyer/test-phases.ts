import { z } from 'zod';
import type { ConnectionFailure } from '../../platform/outbound/failure.ts';
import type { OutboundResult, Phase, Progress } from '../../platform/outbound/outbound-result.ts';

/** The steps of sending one request, in order; `answer` is from the request's last byte to the answer's head. */
const STEPS = ['dns', 'connect', 'tls', 'answer'] as const;
type Step = (typeof STEPS)[number];

/** How one step of a test event went. */
export const TestPhase = z.object({
  phase: z.enum(STEPS),
  outcome: z
    .enum(['ok', 'failed', 'skipped', 'not_reached'])
    .describe('`skipped`: not needed here, such as TLS over http, or all before `answer` on a connection already open'),
  ms: z.number().nullable().describe('Milliseconds spent in it; null where nothing was spent, or it is not known'),
});
export type TestPhase = z.infer<typeof TestPhase>;

/** What happened in each step. */
export function phasesOf(result: OutboundResult, url: string): TestPhase[] {
  const failed = failedStep(result);
  const failedAt = failed === undefined ? STEPS.length : STEPS.indexOf(failed);
  const isNeeded = neededOf(result, url);
  return STEPS.map((phase, place) => {
    if (place > failedAt) return { phase, outcome: 'not_reached', ms: null };
    if (place < failedAt && !isNeeded[phase]) return { phase, outcome: 'skipped', ms: null };
    return { phase, outcome: place === failedAt ? 'failed' : 'ok', ms: msOf(result, phase) };
  });
}

function neededOf(result: OutboundResult, url: string): Record<Step, boolean> {
  const isReused = result.kind !== 'refused' && result.reused;
  const { protocol } = new URL(url);
  return {
    dns: !isReused && !isAddress(url),
    connect: !isReused,
    tls: !isReused && protocol === 'https:',
    answer: true,
  };
}

/** An address in brackets, or one that the parser has written as four numbers. */
function isAddress(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname.startsWith('[') || /^\d+(\.\d+){3}$/.test(hostname);
}

function msOf(result: OutboundResult, phase: Step): number | null {
  if (result.kind === 'refused') return null;
  const { dns_ms, connect_ms, tls_ms, first_byte_ms } = result.timings;
  return { dns: dns_ms, connect: connect_ms, tls: tls_ms, answer: first_byte_ms }[phase];
}

function failedStep(result: OutboundResult): Step | undefined {
  switch (result.kind) {
    case 'response':
      return undefined;
    // The address is refused once it is known, before anything is dialed.
    case 'refused':
      return 'connect';
    case 'timeout':
      return STEP_OF_PHASE[result.phase];
    case 'connection_error':
      return stepOfFailure(result.reason, isConnected(result));
  }
}

const STEP_OF_PHASE: Record<Phase, Step> = {
  queue: 'connect',
  dns: 'dns',
  proxy: 'connect',
  connect: 'connect',
  tls: 'tls',
  response: 'answer',
  body: 'answer',
};

/** The address is not known where only a proxy looks it up. */
function isConnected({ address, reused, timings }: Progress): boolean {
  return address !== undefined || reused || timings.tls_ms > 0;
}

function stepOfFailure(reason: ConnectionFailure, isConnected: boolean): Step {
  if (reason.startsWith('dns')) return 'dns';
  if (reason.startsWith('tls')) return 'tls';
  return isConnected ? 'answer' : 'connect';
}
