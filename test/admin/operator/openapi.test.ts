import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../../src/admin/operator/operations.ts';
import { operate } from '../../journeys/support/operator.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { schemaValidator } from '../../support/schema-validator.ts';

interface Described {
  operationId: string;
  summary: string;
  description: string;
  parameters: { name: string; in: string }[];
  responses: Record<string, { content: Record<string, { schema: object }> }>;
  requestBody?: { required: boolean };
}
interface Document {
  servers: { url: string }[];
  paths: Record<string, Record<string, Described>>;
  components: object;
}

describe('/api/operator/openapi.json', () => {
  let agent: TestAgent;
  let document: Document;
  beforeAll(async () => {
    agent = await startTestAgent('sqlite', { working: false });
    document = (await (await fetch(`${agent.baseUrl}/api/operator/openapi.json`)).json()) as Document;
  });
  afterAll(() => agent.stop());

  const of = (path: string, method: string) => document.paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method];

  it('[O1] is a valid OpenAPI 3.1 document, for everybody', async () => {
    const { valid, errors } = await new Validator().validate({ ...document });
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
    expect(document.servers).toEqual([{ url: `${agent.baseUrl}/api/operator` }]);
  });

  it('[O1] describes every operation of the list: its words, its role, its parameters', () => {
    const ids = new Set<string>();
    for (const { method, path, summary, role, action } of operations) {
      const described = of(path, method);
      expect(described, path).toMatchObject({ summary });
      expect(described?.description).toContain(`role ${role}`);
      const named = (place: string) => described?.parameters.filter((one) => one.in === place).map(({ name }) => name);
      expect(named('path')).toEqual([...path.matchAll(/:(\w+)/g)].map(([, name]) => name));
      expect(named('header')?.includes('Idempotency-Key')).toBe(action !== undefined);
      ids.add(described?.operationId ?? '');
    }
    expect(ids.size).toBe(operations.length);
    expect(Object.values(document.paths).flatMap((methods) => Object.keys(methods))).toHaveLength(operations.length);
  });

  it('[O1] describes what is answered, and what is refused', async () => {
    const wrong = (described: Described | undefined, status: number, value: unknown) => {
      const schema = described?.responses[String(status)]?.content['application/json']?.schema ?? { not: {} };
      return schemaValidator({ ...schema, components: document.components })(value);
    };
    for (const path of [
      '/overview',
      '/media-buys',
      '/keys',
      '/people',
      '/buyers',
      '/approvals',
      '/actions',
      '/queues',
    ]) {
      const { status, body } = await operate(agent, 'GET', path);
      expect([path, wrong(of(path, 'get'), status, body)]).toEqual([path, '']);
    }
    const { status, body } = await operate(agent, 'GET', '/media-buys?status=none');
    expect([status, wrong(of('/media-buys', 'get'), status, body)]).toEqual([422, '']);
  });

  it('[O1] can be read as a page, without a script', async () => {
    const page = await fetch(`${agent.baseUrl}/docs/operator`);
    const html = await page.text();
    expect(html).not.toMatch(/<script/);
    for (const { summary } of operations)
      expect(html).toContain(summary.replaceAll('"', '&quot;').replaceAll('&', '&amp;').slice(0, 20));
  });
});
