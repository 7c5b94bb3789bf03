import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { endpoint } from '../../src/registry/endpoint.ts';
import { endpoints } from '../../src/registry/index.ts';
import { REQUIREMENTS } from '../requirements.ts';
import { open, proved } from '../requirements/row.ts';
import { typescriptFiles } from '../support/project-files.ts';
import { missingInEndpoint } from './support/unfinished-endpoint.ts';

it('every endpoint is finished: it says what it does and answers, has fields, a test and a rule', async () => {
  const [sources, tests] = await Promise.all([typescriptFiles('src/registry'), typescriptFiles('test/registry')]);
  const missing = endpoints.flatMap((each) => missingInEndpoint(each, { rules: REQUIREMENTS, sources, tests }));
  if (missing.length > 0) expect.fail(missing.join('\n'));
});

it('[R15.browse] every query refuses what it does not know but that of the stream, to which its clients add their own', () => {
  const lenient = endpoints.filter(
    ({ query }) => query !== undefined && z.toJSONSchema(query, { io: 'input' }).additionalProperties !== false,
  );
  expect(lenient.map(({ id }) => id)).toEqual(['streamFeed']);
});

describe('the check', () => {
  const finished = {
    id: 'changeThing',
    method: 'patch' as const,
    path: '/api/things/{thing_id}',
    tag: 'Registry',
    summary: 'Give a thing another name',
    access: 'required' as const,
    effect: 'write' as const,
    limit: 'my_agents' as const,
    body: z.object({ name: z.string() }),
    responses: { 200: { description: 'The thing as it is now', schema: z.object({ name: z.string() }) } },
    handle: () => Promise.resolve({}),
  };
  const own = 'C.endpoints.change-thing';
  const text = `/** Changes it (rule ${own}). */\nexport const changeThing = endpoint({ id: 'changeThing' });`;
  const path = 'test/registry/change-thing.test.ts';
  const all = {
    rules: [proved(own, 'API', 'It changes.'), proved('R1', 'API', 'It holds.')],
    sources: [{ path: 'src/registry/change-thing/route.ts', text }],
    tests: [{ path, text: "it('changes', () => {});" }],
  };

  it('is content with an endpoint that has everything', () => {
    expect(missingInEndpoint(endpoint(finished), all)).toEqual([]);
  });

  it('is content with an endpoint whose file cites a proved rule and whose test has another name', () => {
    const sources = [{ path: 'src/registry/thing/routes.ts', text: text.replace(own, 'R1') }];
    expect(missingInEndpoint(endpoint(finished), { ...all, sources, tests: [] })).toEqual([]);
  });

  it.each([
    ['the summary is empty', { summary: '' }],
    ['the summary only repeats the name; say what a caller gets', { summary: 'Change thing' }],
    ['the body has no fields', { body: z.object({}) }],
    ['the description of its answer 200 is empty', { responses: { 200: { description: '' } } }],
    [
      'the description of its answer 200 only repeats the name',
      { responses: { 200: { description: 'Change thing.' } } },
    ],
    ['its answer 200 has no fields', { responses: { 200: { description: 'A thing', schema: z.object({}) } } }],
  ])('finds: %s', (told, changes) => {
    const found = missingInEndpoint(endpoint({ ...finished, ...changes } as typeof finished), all);
    expect(found).toEqual([expect.stringContaining(`changeThing: ${told}`)]);
  });

  it.each([
    [`no file of src/registry has id: 'changeThing'`, { sources: [] }],
    ['no proved rule names it: add C.endpoints.change-thing', { rules: [] }],
    ['is open', { rules: [open(own, 'API', 'It changes.', 'not built yet')] }],
    [`${path} has an it.todo`, { tests: [{ path, text: 'it.todo("changes");' }] }],
    [`no test calls it: write ${path}`, { tests: [{ path, text: '' }] }],
  ])('finds: %s', (told, papers) => {
    const found = missingInEndpoint(endpoint(finished), { ...all, ...papers });
    expect(found).toEqual([expect.stringContaining(told)]);
    expect(found[0]).toMatch(/^changeThing: /);
  });
});
