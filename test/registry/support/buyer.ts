import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RegistryClient } from '#adcp-buyer/registry';
import type { Registry } from './registry.ts';

/** The registry on a port, and the public protocol's own client, pointed at it. */
export interface Buyer {
  client: InstanceType<typeof RegistryClient>;
  /** The status of each answer since it was last asked for. */
  statuses: () => number[];
  close: () => Promise<void>;
}

export async function startBuyer(at: Registry, apiKey: string): Promise<Buyer> {
  let seen: number[] = [];
  const server = createServer((request, response) => {
    response.on('finish', () => seen.push(response.statusCode));
    at.app(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    client: new RegistryClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey }),
    statuses() {
      const told = seen;
      seen = [];
      return told;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

/** Budgets that one address of a whole test file does not come to the end of. */
export const WIDE = {
  ...{ crawl_publisher: 1000, resolve_properties: 1000, check_authorizations: 1000, public_refusals: 1000 },
  ...{ list_properties: 1000, validate_property: 1000, search_agents: 1000, feed: 10_000 },
};
