import { BlockList, isIP } from 'node:net';
import { forbiddenRule } from '#receiver/node/address-guard';

/** Ports of any public address that may be called; others are named (`OUTBOUND_ALLOW`). */
export const USUAL_PORTS: readonly number[] = [443, 8443];

/** A place that an operator named: an address or a subnet of any kind, or every public address, at one port or the usual ones. */
export interface NamedPlace {
  /** Absent: every public address. */
  subnet?: { address: string; prefix: number };
  /** Absent: the usual ones. */
  port?: number;
}

/** Where requests to a URL that somebody else chose may go (rule W16). */
export interface AllowedPlaces {
  /** Whether every public address may be called at this port. */
  isPublicPort(port: number): boolean;
  /** Whether some address may be called at this port. */
  hasPort(port: number): boolean;
  /** The rule against an address at a port; undefined when there is none. */
  ruleAgainst(address: string, port: number, allowLoopback: boolean): string | undefined;
}

/** The public addresses at the usual ports, and what is named besides. */
export function allowedPlaces(named: readonly NamedPlace[] = []): AllowedPlaces {
  const publicPorts = new Set([...USUAL_PORTS, ...named.flatMap(({ subnet, port }) => (subnet ? [] : (port ?? [])))]);
  const subnets = named.flatMap(({ subnet, port }) => (subnet ? [{ list: listOf(subnet), port }] : []));
  const isNamed = (address: string, port: number) =>
    subnets.some(
      (one) =>
        (one.port ?? port) === port && (one.port !== undefined || publicPorts.has(port)) && holds(one.list, address),
    );
  return {
    isPublicPort: (port) => publicPorts.has(port),
    hasPort: (port) => publicPorts.has(port) || subnets.some((one) => one.port === port),
    ruleAgainst(address, port, allowLoopback) {
      const rule = forbiddenRule(address);
      if (isNamed(address, port) || (rule === 'loopback' && allowLoopback)) return undefined;
      if (rule !== undefined) return `${rule} address`;
      return publicPorts.has(port) ? undefined : portRefused(port);
    },
  };
}

/** What is said of a port at which nothing may be called. */
export function portRefused(port: number): string {
  return `port ${port} is not among those that may be called`;
}

/**
 * Reads `10.20.0.0/16`, `10.1.2.3:9443`, `[fd00::]/8:9443` or, for every public address, `*:9443`; undefined for anything else.
 */
export function readPlace(text: string): NamedPlace | undefined {
  const [, host = '', bits, digits] =
    /^(\*|[\d.]+|[\da-f:.]*::?[\da-f:.]*|\[[\da-f:.]+\])(?:\/(\d{1,3}))?(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const port = digits === undefined ? undefined : Number(digits);
  if (port !== undefined && (port < 1 || port > 65_535)) return undefined;
  if (host === '*') return port === undefined || bits !== undefined ? undefined : { port };
  const address = host.replace(/^\[|\]$/g, '');
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(address) as 0 | 4 | 6];
  const prefix = bits === undefined ? most : Number(bits);
  if (most === -1 || prefix > most) return undefined;
  return { subnet: { address, prefix }, ...(port !== undefined && { port }) };
}

function listOf({ address, prefix }: { address: string; prefix: number }): BlockList {
  const list = new BlockList();
  list.addSubnet(address, prefix, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  return list;
}

function holds(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}
