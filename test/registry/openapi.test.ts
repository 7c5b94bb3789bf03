import { Validator } from '@seriousme/openapi-schema-validator';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpoints } from '../../src/registry/index.ts';
import { startRegistry } from './support/registry.ts';
import type { Registry } from './support/registry.ts';

let at: Registry;

beforeAll(async () => {
  at = await startRegistry('sqlite');
});
afterAll(() => at.close());

const noneLeft = () => Promise.resolve({ allowed: false, remaining: 0, resetMs: 7_000, resetSeconds: 7 });

interface Operation {
  operationId: string;
  security: object[];
  parameters: { name: string; schema: object }[];
  responses: object;
  requestBody?: { content: Record<string, { schema: Record<string, unknown> }> };
}
const document = async () =>
  (await at.get('/openapi.json')).body as {
    openapi: string;
    info: { version: string };
    servers: { url: string }[];
    paths: Record<string, Record<string, Operation>>;
  };

describe('/openapi.json', () => {
  it('[C.versioning.api] is a valid OpenAPI 3.1 document of version 1.0.0', async () => {
    const body = await document();
    const result = await new Validator().validate(body);
    expect(result.errors).toBeUndefined();
    expect(result.valid).toBe(true);
    expect(body).toMatchObject({
      openapi: '3.1.0',
      info: { version: '1.0.0' },
      servers: [{ url: 'https://registry.test.example' }],
    });
  });

  it('describes every endpoint of the list, with its access', async () => {
    const { paths } = await document();
    for (const { id, path, method, access } of endpoints) {
      const operation = paths[path]?.[method];
      expect(operation?.operationId).toBe(id);
      expect(operation?.security.length).toBe({ public: 0, optional: 2, required: 1 }[access]);
    }
    expect(new Set(endpoints.map(({ id }) => id)).size).toBe(endpoints.length);
  });

  it('tells of an event stream what the data of its events are', async () => {
    const { paths } = await document();
    expect(paths['/api/registry/feed/stream']?.['get']?.responses).toMatchObject({
      200: {
        content: {
          'text/event-stream': {
            schema: {
              type: 'string',
              contentMediaType: 'application/json',
              contentSchema: { type: 'object', required: expect.arrayContaining(['id', 'type', 'state']) as string[] },
            },
          },
        },
      },
      410: { content: { 'application/json': { schema: { required: expect.arrayContaining(['field']) as string[] } } } },
    });
  });

  it('carries the bounds that validation enforces', async () => {
    const { paths } = await document();
    const schema = paths['/api/properties/check']?.['post']?.requestBody?.content['application/json']?.schema;
    expect(schema).toMatchObject({
      required: ['domains'],
      properties: { domains: { type: 'array', maxItems: 10_000 } },
    });
  });

  it('types numbers in a query as numbers, and names the statuses of a cursor that has expired', async () => {
    const feed = (await document()).paths['/api/registry/feed']?.['get'];
    expect(feed?.parameters.find(({ name }) => name === 'limit')?.schema).toEqual({
      type: 'integer',
      minimum: 1,
      maximum: 1000,
    });
    expect(Object.keys(feed?.responses ?? {})).toEqual(expect.arrayContaining(['200', '400', '410', '429']));
  });

  it('tells of heads that are too long, which have no body', async () => {
    const { paths } = await document();
    const all = Object.values(paths).flatMap((path) => Object.values(path as Record<string, { responses: object }>));
    expect(all.length).toBeGreaterThan(100);
    for (const { responses } of all)
      expect(responses).toMatchObject({ 431: { description: expect.any(String) as string } });
    expect(JSON.stringify(all.map(({ responses }) => (responses as Record<string, object>)['431']))).not.toContain(
      'content',
    );
  });

  it('tells of a status that is a page and a refusal both', async () => {
    const { paths } = await document();
    const page = paths['/api/billing/sandbox/{sessionId}']?.['get'] as unknown as {
      responses: Record<string, { content: object }>;
    };
    expect(Object.keys(page.responses['404']?.content ?? {}).sort()).toEqual(['application/json', 'text/html']);
    expect(Object.keys(page.responses['200']?.content ?? {})).toEqual(['text/html']);
  });

  it('can be read by any site and is not sent twice to who has it', async () => {
    const first = await at.get('/openapi.json');
    expect(first.headers['access-control-allow-origin']).toBe('*');
    const again = await at.get('/openapi.json').set('If-None-Match', String(first.headers['etag']));
    expect(again.status).toBe(304);
  });
});

describe('/docs', () => {
  it('shows every endpoint without a script or anything loaded from elsewhere', async () => {
    const page = await at.get('/docs');
    expect(page.status).toBe(200);
    for (const { id, path } of endpoints) {
      expect(page.text).toContain(`<section id="${id}">`);
      expect(page.text).toContain(`<code>${path}</code>`);
    }
    expect(page.text).not.toMatch(/<script|<link|src=/);
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
  });
});

describe('every endpoint', () => {
  it('[R14] has a limit, tells how it stands, and refuses with Retry-After and the error body', async () => {
    const refusing = await startRegistry('sqlite', { wrapLimiter: (limiter) => ({ ...limiter, take: noneLeft }) });
    const authorization = `Bearer ${await refusing.token({ sub: 'u', email: 'u@company.example' })}`;
    const documents = ['/openapi.json', '/docs'].map((path) => ({ method: 'get' as const, path }));
    for (const { method, path } of [...endpoints, ...documents]) {
      const url = path.replaceAll(/\{\w+\}/g, 'x');
      const answer = await request(refusing.app)[method](url).set({ authorization });
      const headers = answer.headers as Record<string, string>;
      expect([path, answer.status]).toEqual([path, 429]);
      expect(headers).toMatchObject({ 'ratelimit-remaining': '0', 'ratelimit-reset': '7', 'retry-after': '7' });
      expect(Number(headers['ratelimit-limit'])).toBeGreaterThan(0);
      expect(answer.body).toMatchObject({ error: expect.any(String) as string, retry_after: 7 });
    }
    await refusing.close();
  });

  it('answers 405 to a method it does not know, naming those it does', async () => {
    const answers = [
      ['/api/properties/check', 'POST'],
      ['/api/me/agents', 'POST, GET'],
      ['/api/registry/operator', 'GET'],
    ] as const;
    for (const [path, allowed] of answers) {
      const answer = await request(at.app).put(path);
      expect([answer.status, answer.headers['allow']]).toEqual([405, allowed]);
      expect(answer.body).toEqual({ error: `PUT is not answered here; send ${allowed}` });
    }
  });

  it('answers a path whose escapes stand for nothing as any refusal, which no cache keeps', async () => {
    const answer = await at.get('/api/properties/check/%ff');
    const error = expect.stringContaining('percent-escapes') as string;
    expect([answer.status, answer.body]).toMatchObject([400, { error }]);
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store' });
  });

  it('answers at a path that is spelled otherwise what it answers at the path itself', async () => {
    const told = ['allow', 'vary', 'access-control-allow-methods', 'ratelimit-policy', 'www-authenticate'];
    const seen = new Set<number>();
    for (const { path, access, method } of endpoints.filter(({ path }) => !path.includes('{'))) {
      for (const asked of ['put', 'options', ...(access === 'required' ? [method] : [])] as const) {
        const shown = async (spelled: string) => {
          const { status, headers } = await at.send(asked, spelled, undefined);
          seen.add(status);
          return [asked, path, status, ...told.map((name) => (headers as Record<string, string>)[name])];
        };
        expect(await shown(`${path.toUpperCase()}/`)).toEqual(await shown(path));
      }
    }
    expect([...seen].sort()).toEqual([204, 401, 405]);
  });

  it('tells caches that what it answers depends on the credential, where it does', async () => {
    expect((await at.get('/api/registry/operator?domain=a.example')).headers['vary']).toContain('Authorization');
    expect((await at.get('/openapi.json')).headers['vary'] ?? '').not.toContain('Authorization');
  });

  it('answers preflight requests of other sites', async () => {
    for (const { path } of endpoints) {
      const answer = await at.preflight(path.replaceAll(/\{\w+\}/g, 'x'));
      expect(answer.status).toBe(204);
      for (const name of ['Authorization', 'If-Match', 'If-None-Match', 'Last-Event-ID'])
        expect(answer.headers['access-control-allow-headers']).toContain(name);
      expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
    }
  });
});
