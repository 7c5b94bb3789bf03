import { readFileSync } from 'node:fs';

/** A process as it can be told apart from a later one with the same number. */
export interface ProcessIdentity {
  pid: number;
  /** When it started, in clock ticks since boot (Linux `/proc`); empty where the system does not say. */
  started: string;
}

/** The identity of a running process (this one by default). */
export function identify(pid: number = process.pid): ProcessIdentity {
  return { pid, started: statusOf(pid)?.started ?? '' };
}

/** Whether exactly this process still runs. A zombie does not. */
export function isAlive({ pid, started }: ProcessIdentity): boolean {
  if (!hasProc()) return answersSignals(pid);
  const status = statusOf(pid);
  return status !== undefined && !'ZX'.includes(status.state) && (started === '' || status.started === started);
}

/** Signals this process, or the whole group it leads; never a later one with the same number. */
export function signal(identity: ProcessIdentity, name: NodeJS.Signals, { group = false } = {}): void {
  if (!isAlive(identity)) return;
  try {
    process.kill(group ? -identity.pid : identity.pid, name);
  } catch {
    // It ended between the look and the signal.
  }
}

/** Fields 3 and 22 of `/proc/PID/stat` (proc(5)); field 2, the name, may hold spaces and parentheses. */
function statusOf(pid: number): { state: string; started: string } | undefined {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', started: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}

function hasProc(): boolean {
  return statusOf(process.pid) !== undefined;
}

function answersSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
