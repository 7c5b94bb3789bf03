import { ChildProcess } from 'node:child_process';
import { Server, Socket } from 'node:net';

/** Kinds of `process.getActiveResourcesInfo()` that a test must close. Timers and file requests are none of them. */
const MUST_CLOSE = ['TCPSocketWrap', 'TCPServerWrap', 'PipeWrap', 'ProcessWrap', 'TLSWrap', 'UDPWrap'];

/** How many there are of each kind. Only those that keep the process alive count. */
export type OpenResources = ReadonlyMap<string, number>;

export function openResources(): OpenResources {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) {
    if (MUST_CLOSE.includes(kind)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}

/** What is open now beyond `before`, in words; empty when nothing is. */
export function leaksSince(before: OpenResources): string[] {
  const more = [...openResources()].filter(([kind, count]) => count > (before.get(kind) ?? 0));
  if (more.length === 0) return [];
  return [...more.map(([kind, count]) => `${count - (before.get(kind) ?? 0)} × ${kind}`), ...describeHandles()];
}

/** The open handles, as far as Node tells; an aid to the reader only. */
function describeHandles(): string[] {
  const { _getActiveHandles: handles } = process as unknown as { _getActiveHandles?: () => unknown[] };
  return (handles?.call(process) ?? []).map(describe).filter((text) => text !== undefined);
}

function describe(handle: unknown): string | undefined {
  if (handle instanceof ChildProcess) return `child process ${handle.pid ?? '?'}: ${handle.spawnargs.join(' ')}`;
  if (handle instanceof Server) return `server at ${JSON.stringify(handle.address())}`;
  if (!(handle instanceof Socket) || handle.destroyed) return undefined;
  const { remoteAddress, remotePort, localPort } = handle;
  return remoteAddress === undefined
    ? undefined
    : `socket ${localPort ?? '?'} to ${remoteAddress}:${remotePort ?? '?'}`;
}
