import type { ServerResponse } from 'node:http';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createOutbound } from '../../src/platform/outbound/outbound-client.ts';
import { fetchAdAgents } from '../../src/registry/crawl/fetch-adagents.ts';
import { managerDomainIn, parseAdsTxt } from '../../src/registry/sellers/parse-ads-txt.ts';
import { serveHttp } from '../platform/outbound/support/servers.ts';
import { json } from './support/agents.ts';

const outbound = createOutbound({ allowLoopback: true });
afterAll(() => outbound.close());

let origin = '';
let answers: Record<string, (response: ServerResponse) => void> = {};
beforeEach(async () => {
  answers = {};
  ({ origin } = await serveHttp((request, response) => {
    const answer = answers[request.url ?? ''];
    if (answer === undefined) response.writeHead(404).end();
    else answer(response);
  }));
});

const OWN = '/.well-known/adagents.json';
const find = () =>
  fetchAdAgents(
    { out: outbound, deadline: performance.now() + 120_000 },
    { url: `${origin}${OWN}`, publisherDomain: 'pub.example', nowMs: Date.now() },
  );
const file = { authorized_agents: [{ url: 'https://agent.example', authorized_for: 'all' }] };
const saying = (value: object) => (response: ServerResponse) => {
  json(response, value);
};
const redirecting = (location: string) => (response: ServerResponse) => response.writeHead(301, { location }).end();
const ofSize = (bytes: number) => (response: ServerResponse) => {
  const said = JSON.stringify(file).slice(0, -1);
  response.end(`${said},"padding":[${'"0123456789",'.repeat(Math.ceil((bytes - said.length) / 13))}0]}`);
};
const reading = (path: string) => ({ kind: 'read', source_url: `${origin}${path}` });
const failing = (words: string) => ({ kind: 'failed', reason: expect.stringContaining(words) as string });

describe('fetching adagents.json', () => {
  it('[R15.scope] follows three redirects within the site, and names the URL that answered', async () => {
    answers = { [OWN]: redirecting('/1'), '/1': redirecting('/2'), '/2': redirecting('/3'), '/3': saying(file) };
    expect(await find()).toMatchObject({ ...reading('/3'), location: null });
    answers['/3'] = redirecting('/4');
    expect(await find()).toMatchObject(failing('redirects'));
    answers[OWN] = redirecting('https://elsewhere.example/adagents.json');
    expect(await find()).toMatchObject(failing('leaves the site'));
  });

  it('[R15.scope] follows no redirect at the authoritative location, even within its site', async () => {
    answers = { [OWN]: saying({ authoritative_location: `${origin}/there` }), '/there': saying(file) };
    expect(await find()).toMatchObject({ ...reading('/there'), location: `${origin}/there` });
    answers['/there'] = redirecting('/moved');
    answers['/moved'] = saying(file);
    expect(await find()).toMatchObject(failing('authoritative_location: answered 301'));
  });

  it('[R15.scope] reads up to 5 MB at the publisher, up to 20 MB at the authoritative location', async () => {
    answers = { [OWN]: ofSize(4_900_000), '/there': ofSize(19_900_000) };
    expect(await find()).toMatchObject(reading(OWN));
    answers[OWN] = ofSize(5_100_000);
    expect(await find()).toMatchObject(failing('larger than 5000000 bytes'));
    answers[OWN] = saying({ authoritative_location: `${origin}/there` });
    expect(await find()).toMatchObject(reading('/there'));
    answers['/there'] = ofSize(20_100_000);
    expect(await find()).toMatchObject(failing('larger than 20000000 bytes'));
  });

  it('[R15.scope] tells a file that is gone from one that cannot be read', async () => {
    expect(await find()).toEqual({ kind: 'absent', reason: 'answered 404', manager_domain: null });
    answers[OWN] = (response) => response.writeHead(410).end('x'.repeat(1_100_000));
    answers['/ads.txt'] = (response) => response.writeHead(500).end();
    expect(await find()).toEqual({ kind: 'absent', reason: 'answered 410' });
    answers[OWN] = (response) => response.writeHead(403).end();
    expect(await find()).toMatchObject(failing('answered 403'));
    answers[OWN] = saying({ authoritative_location: `${origin}/nowhere` });
    // A file that points to nothing is gone as well; but it is there, so that no ads.txt speaks for its publisher.
    answers['/ads.txt'] = (response) => response.end('MANAGERDOMAIN=manager.example');
    expect(await find()).toEqual({ kind: 'absent', reason: 'authoritative_location: answered 404' });
    answers['/nowhere'] = (response) => response.writeHead(503).end();
    expect(await find()).toMatchObject(failing('authoritative_location: answered 503'));
  });
});

describe('MANAGERDOMAIN in ads.txt', () => {
  it.each([
    ['managerdomain=Manager.Example', 'manager.example'],
    ['\ufeffgoogle.com, pub-1, DIRECT\r\n MANAGERDOMAIN = manager.example # ours\r\n', 'manager.example'],
    ['MANAGERDOMAIN=first.example\nMANAGERDOMAIN=last.example', 'last.example'],
    ['MANAGERDOMAIN=first.example\nMANAGERDOMAIN=last.example #noagents', 'first.example'],
    ['# managerdomain=comment.example', undefined],
    ['MANAGERDOMAIN=manager.example,US', undefined],
    ['MANAGERDOMAIN=https://manager.example/', undefined],
    ['MANAGERDOMAIN=127.0.0.1', undefined],
    ['MANAGERDOMAIN=pub.example', undefined],
    ['OWNERDOMAIN=owner.example', undefined],
    ['', undefined],
  ])('[R15.scope] reads %j', async (text, manager) => {
    const said = await parseAdsTxt(Buffer.from(text));
    expect(said && managerDomainIn(said, 'pub.example')).toBe(manager);
  });
});
