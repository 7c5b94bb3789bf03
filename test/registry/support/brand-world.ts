import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from './agents.ts';

/** What a place answers: a file, a status without one, text that is none, or whatever a test does with the response. */
type Answer = object | number | string | ((response: ServerResponse) => void);

/** Domains and their files, on one server of loopback. */
export interface BrandWorld {
  /** A domain that nobody has asked for. */
  domain: (name: string) => string;
  /** Where a domain's brand.json is; of one called `nowhere` there is no server. */
  urlOf: (domain: string) => string;
  /** Puts something at a domain, or at a path of the server. What nothing was put at is 404. */
  put: (place: string, answer: Answer) => void;
  /** How often a domain's own file was asked for. */
  asked: (domain: string) => number;
  /** The URL of a path. */
  at: (path: string) => string;
  close: () => void;
}

export async function brandWorld(): Promise<BrandWorld> {
  const answers = new Map<string, Answer>();
  const counts = new Map<string, number>();
  const server = createServer((request, response) => {
    const path = (request.url ?? '').slice(1);
    counts.set(path, (counts.get(path) ?? 0) + 1);
    const answer = answers.get(path) ?? 404;
    if (typeof answer === 'function') (answer as (response: ServerResponse) => void)(response);
    else if (typeof answer === 'number') response.writeHead(answer).end();
    else if (typeof answer === 'string') response.end(answer);
    else json(response, answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const at = (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/${path}`;
  return {
    domain: (name) => `${name.toLowerCase()}-${randomUUID().slice(0, 8)}.example`,
    urlOf: (domain) => (domain.startsWith('nowhere-') ? 'http://127.0.0.1:1/' : at(domain)),
    put: (place, answer) => void answers.set(place, answer),
    asked: (domain) => counts.get(domain) ?? 0,
    at,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
