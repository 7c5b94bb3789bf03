import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpoints } from '../../src/registry/index.ts';
import { startRegistry } from './support/registry.ts';
import type { Registry } from './support/registry.ts';

let at: Registry;

beforeAll(async () => {
  at = await startRegistry('sqlite');
});
afterAll(() => at.close());

interface Operation {
  operationId: string;
  security: object[];
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
  it('is a valid OpenAPI 3.1 document of version 1.0.0', async () => {
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

  it('carries the bounds that validation enforces', async () => {
    const { paths } = await document();
    const schema = paths['/api/properties/check']?.['post']?.requestBody?.content['application/json']?.schema;
    expect(schema).toMatchObject({
      required: ['domains'],
      properties: { domains: { type: 'array', maxItems: 10_000 } },
    });
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
  it('[R14] has a limit of its own or one it shares on purpose', () => {
    for (const { limit } of endpoints) expect(limit.points).toBeGreaterThan(0);
  });

  it('answers preflight requests of other sites', async () => {
    for (const { path } of endpoints) {
      const answer = await at.preflight(path.replaceAll(/\{\w+\}/g, 'x'));
      expect(answer.status).toBe(204);
      expect(answer.headers['access-control-allow-headers']).toContain('Authorization');
      expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
    }
  });
});
