import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closedPort, drip, serveHttp, serveTcp } from '../platform/outbound/support/servers.ts';
import { cardOf, json, mcpServer } from './support/agents.ts';
import { startRegistry } from './support/registry.ts';
import type { Registry } from './support/registry.ts';

let at: Registry;
/** One that waits for nobody for longer than a second. */
let hasty: Registry;
beforeAll(async () => {
  at = await startRegistry('sqlite');
  hasty = await startRegistry('sqlite', { probeMs: 1_000 });
});
afterAll(() => Promise.all([at.close(), hasty.close()]));

const discover = (url: string, by = at) => by.get(`/api/public/discover-agent?url=${encodeURIComponent(url)}`);

describe('discovering an agent that answers', () => {
  it.each([
    ['/.well-known/agent-card.json', 'of A2A 1.0'],
    ['/.well-known/agent.json', 'of A2A 0.3'],
  ])('[R12] reads its card at %s, the path %s', async (path) => {
    const agent = await serveHttp((request, response) => {
      if (request.url === path) json(response, cardOf('Card Agent', ['get_products', 'create_media_buy']));
      else response.writeHead(404).end();
    });
    const answer = await discover(agent.origin);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      name: 'Card Agent',
      protocols: ['a2a'],
      type: 'sales',
      tools_count: 2,
      tools: [
        { name: 'get_products', description: 'does get_products' },
        { name: 'create_media_buy', description: 'does create_media_buy' },
      ],
      stats: { publisher_count: 0 },
      description: 'Card Agent in a test',
    });
  });

  it.each([
    ['plain JSON at its URL', '/agent', '/agent', false],
    ['event streams at its URL', '/agent', '/agent', true],
    ['plain JSON at /mcp below its URL', '', '/mcp', false],
  ])('[R12] asks it over MCP in %s, all pages of tools', async (_, urlPath, path, streams) => {
    const tools = ['list_creative_formats', 'get_products', 'list_authorized_properties', 'x', 'y'];
    const handle = mcpServer({ path, tools, streams, pageSize: 2 });
    const agent = await serveHttp((request, response) => void handle(request, response));
    const answer = await discover(`${agent.origin}${urlPath}`);
    expect(answer.body).toMatchObject({
      name: 'MCP Test Agent',
      description: 'An agent over MCP.',
      protocols: ['mcp'],
      type: 'sales',
      tools_count: 5,
      tools: tools.map((name) => ({ name })),
      stats: { format_count: 3, product_count: 2, publisher_count: 1 },
    });
  });

  it('[R12] [C.endpoints.discover] puts both protocols together, each task once', async () => {
    const mcp = mcpServer({ path: '/mcp', tools: ['get_signals', 'activate_signal'] });
    const agent = await serveHttp((request, response) => {
      if (request.url === '/.well-known/agent-card.json') json(response, cardOf('Both', ['get_signals']));
      else void mcp(request, response);
    });
    expect((await discover(agent.origin)).body).toMatchObject({
      name: 'Both',
      protocols: ['a2a', 'mcp'],
      type: 'signals',
      tools: [{ name: 'get_signals' }, { name: 'activate_signal' }],
    });
  });

  it('[R12] takes the type from exact task names only', async () => {
    const agent = await serveHttp((_request, response) => {
      json(response, cardOf('Near', ['get_products_now', 'GET_SIGNALS', 'media_buy']));
    });
    expect((await discover(agent.origin)).body).toMatchObject({ type: 'unknown', tools_count: 3 });
  });
});

describe('discovering what is no agent', () => {
  it.each(['', 'ftp://a.example', 'https://u:p@a.example', 'https://', 'javascript:alert(1)'])(
    '[R12] [C.resources.error] answers 400 with error and message to %j',
    async (url) => {
      const answer = await discover(url);
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ error: 'invalid url', message: expect.stringContaining('url') as string });
    },
  );

  it.each([
    ['a private address', 'https://10.1.2.3/'],
    ['the metadata service of a cloud', 'http://169.254.169.254/latest'],
    ['an embedded private address', 'https://[::ffff:192.168.0.1]/'],
    ['a name that leads to a private address', 'https://agent.private.test/'],
  ])('[R12] [W16] refuses %s', async (_, url) => {
    const answer = await discover(url);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: 'address refused' });
  });

  it.each([
    ['a closed port', async () => `http://127.0.0.1:${await closedPort()}`],
    ['a name that does not exist', () => Promise.resolve('https://nowhere.example')],
    [
      'a card that is no JSON',
      async () =>
        (
          await serveHttp((_request, response) => {
            response.end('<html>');
          })
        ).origin,
    ],
    [
      'JSON that is no card',
      async () =>
        (
          await serveHttp((_request, response) => {
            json(response, { name: 7, skills: 'all' });
          })
        ).origin,
    ],
    [
      'a card of many megabytes',
      async () =>
        (
          await serveHttp((_request, response) => {
            response.end(JSON.stringify(cardOf('x'.repeat(3_000_000), [])));
          })
        ).origin,
    ],
    [
      'what is no HTTP',
      async () =>
        (
          await serveTcp((socket) => {
            socket.end('SSH-2.0-OpenSSH\r\n');
          })
        ).origin,
    ],
  ])('[R12] answers 502 with error and message to %s', async (_, start) => {
    const answer = await discover(await start());
    expect(answer.status).toBe(502);
    expect(answer.body).toMatchObject({ error: 'agent not reachable' });
    expect((answer.body as { message: string }).message).not.toBe('');
  });

  it('[R12] [W16] does not follow a redirect to another site, nor to a private address', async () => {
    const target = await serveHttp((_request, response) => {
      json(response, cardOf('Elsewhere', ['get_products']));
    });
    for (const location of [`http://localhost:${target.port}/card`, 'http://169.254.169.254/', 'https://10.0.0.1/']) {
      const agent = await serveHttp((_request, response) => {
        response.writeHead(302, { location }).end();
      });
      const answer = await discover(agent.origin);
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ error: 'address refused' });
    }
    expect(target.connections()).toBe(0);
  });

  it.each([22, 25, 80, 8080, 6379])('[W16.ports] asks nothing at port %i, and says so', async (port) => {
    const answer = await discover(`https://93.184.216.34:${port}/`);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({
      error: 'address refused',
      message: expect.stringContaining(`port ${port} is not among those that may be called`) as string,
    });
  });

  it.each([
    ['never answers', 504, () => undefined],
    [
      'drips an endless body',
      504,
      (socket: Socket) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n');
        drip(socket, ' ');
      },
    ],
    [
      'drips what is no HTTP',
      502,
      (socket: Socket) => {
        drip(socket, 'H');
      },
    ],
  ])('[R12] answers in time to an agent that %s: %i', async (_, status, behave) => {
    const agent = await serveTcp((socket) => {
      socket.once('data', () => {
        behave(socket);
      });
    });
    expect((await discover(agent.origin, status === 504 ? hasty : at)).status).toBe(status);
  });

  it('[R12] shows hostile text as text: cut, without control characters', async () => {
    const agent = await serveHttp((request, response) => {
      if (request.url !== '/.well-known/agent-card.json') response.writeHead(404).end();
      else json(response, cardOf(`\u0000\u001b[31m<script>${'x'.repeat(5000)}`, Array<string>(3000).fill('t\u0007')));
    });
    const { name, tools } = (await discover(agent.origin)).body as { name: string; tools: { name: string }[] };
    expect(name).toMatch(/^\[31m<script>x+$/);
    expect(name).toHaveLength(200);
    expect(tools).toEqual([{ name: 't', description: expect.any(String) as string }]);
  });

  it('[R12] [R14] lets one address ask 60 times a minute', async () => {
    const ask = () => discover('not a url').set('X-Forwarded-For', '198.51.100.77');
    const statuses = [];
    for (let i = 0; i < 61; i++) statuses.push((await ask()).status);
    expect(statuses).toEqual([...Array<number>(60).fill(400), 429]);
    expect((await ask()).body).toMatchObject({ error: 'too many requests', message: expect.any(String) as string });
  });
});
