import { addressKey } from '../client-address.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../log.ts';
import type { Counters } from '../metrics/metrics.ts';
import { currentRequest } from '../request-context.ts';
import type { RequestContext } from '../request-context.ts';
import { createFloodFilter, FLOOD } from './flood-filter.ts';
import { SECURITY_KINDS } from './security-kinds.ts';
import type { SecurityKind } from './security-kinds.ts';

/** Whom and what a decision concerns. Ids and words of ours: never a credential, and of what strangers sent a refused host alone. */
export interface SecurityFacts {
  /** Who: an API key's id, a user, an operator. Absent where nobody is known. */
  subject?: string | undefined;
  organization_id?: string | undefined;
  /** What it was about: the id of a key, an application, a queue; a host. */
  target?: string | undefined;
  /** Why, where the kind does not say it. */
  reason?: string | undefined;
}

/** Puts decisions about access on record: a log line `security` each, and a count. */
export interface SecurityLog {
  /**
   * Address, request id and the operator who acts (`by`) are those of the request under way, in which one decision counts once. Never throws. Of kinds that strangers cause at will, one address
   * has {@link FLOOD}`.perKey` lines a minute, and all together `.all`; what is held back is counted, and told within a minute.
   */
  record(kind: SecurityKind, facts?: SecurityFacts): void;
  /** Writes what was held back. */
  close(): void;
}

export interface SecurityLogDeps {
  log: Logger;
  counters: Counters;
  clock: Clock;
}

const MAX_FACT = 200;

export function createSecurityLog({ log, counters, clock }: SecurityLogDeps): SecurityLog {
  const filter = createFloodFilter(clock);
  const recorded = new WeakMap<RequestContext, Set<string>>();
  let timer: NodeJS.Timeout | undefined;

  function tellHeldBack(): void {
    clearTimeout(timer);
    timer = undefined;
    for (const { key, count } of filter.heldBack()) {
      const [kind, address] = key?.split(' ') ?? [];
      log.warn({ event: 'security_held_back', kind, address, count }, 'security events were counted and not written');
    }
  }

  /** One request may come upon the same decision several times, such as of a URL that it asks by more than one protocol. */
  function isRepeated(request: RequestContext, kind: SecurityKind, facts: SecurityFacts): boolean {
    const known = recorded.get(request) ?? new Set<string>();
    recorded.set(request, known);
    const decision = JSON.stringify([kind, facts]);
    return known.has(decision) || known.add(decision).size === 0;
  }

  return {
    record(kind, facts = {}) {
      const { outcome, ...spec } = SECURITY_KINDS[kind];
      const request = currentRequest();
      if (request !== undefined && isRepeated(request, kind, facts)) return;
      counters.add('security_events_total', { kind, outcome });
      if (kind === 'credential.refused' || kind === 'operator.refused')
        counters.add('auth_failures_total', { edge: request?.edge ?? 'none', reason: kind });
      const source = `${kind} ${sourceOf(request?.address, facts)}`;
      if ('isFlood' in spec && !filter.passes(source)) {
        filter.hold(source);
        timer ??= setTimeout(tellHeldBack, FLOOD.minuteMs).unref();
        return;
      }
      const { request_id, address, edge, operator: by } = request ?? {};
      const line = { event: 'security', kind, outcome, edge, address, ...bounded({ ...facts, by }), request_id };
      log[outcome === 'refused' ? 'warn' : 'info'](line, 'security');
    },
    close: tellHeldBack,
  };
}

/** For what nobody keeps a record of, such as tools and tests. */
export const noSecurityLog: SecurityLog = { record: () => undefined, close: () => undefined };

/** Whose flood it is: an address; in jobs, where there is none, whoever has it done. */
function sourceOf(address: string | undefined, { organization_id, target = '' }: SecurityFacts): string {
  return address === undefined ? (organization_id ?? target) : addressKey(address);
}

function bounded(facts: SecurityFacts & { by: string | undefined }): SecurityFacts {
  return Object.fromEntries(
    Object.entries(facts).map(([name, fact]: [string, string | undefined]) => [name, fact?.slice(0, MAX_FACT)]),
  );
}
