import { z } from 'zod';
import { toTimestamp } from '../../platform/clock.ts';
import { AdagentsValidation } from '../adagents-validate/schema.ts';
import { endpoint } from '../endpoint.ts';
import type { Answer, EndpointCall, Input } from '../endpoint.ts';
import { generateFile } from './generate.ts';
import { GenerateAdagents } from './schema.ts';

const generating = {
  method: 'post',
  tag: 'Registry',
  description:
    'What is sent is checked, and the file is read back as a crawl would before it is answered. Nothing is stored or published: serve the answer at `/.well-known/adagents.json`.',
  access: 'public',
  effect: 'read',
  limit: 'validate_adagents',
  body: GenerateAdagents,
  responses: {
    200: {
      description: 'The file to publish, and what was found of it',
      schema: z.object({
        success: z.boolean(),
        data: z.object({
          success: z.boolean(),
          adagents_json: z.looseObject({}).describe('Valid by the public schema'),
          validation: AdagentsValidation.shape.data.shape.validation.unwrap(),
        }),
        timestamp: z.string(),
      }),
    },
  },
  handle: generate,
} as const;

/** An adagents.json from structured input, for publishers without an engineer at hand (rule R15.generate). */
export const generateAdagents = endpoint({
  ...generating,
  id: 'generateAdagents',
  path: '/api/adagents/generate',
  summary: 'Write an adagents.json from who may sell what',
});

/** The same under the path of the public registry (rules R15.generate, R16.public). */
export const createAdagents = endpoint({
  ...generating,
  id: 'createAdagents',
  path: '/api/adagents/create',
  summary: "Write an adagents.json, by the public registry's path",
});

async function generate(
  { body }: Input<undefined, undefined, GenerateAdagents>,
  { clock }: EndpointCall,
): Promise<Answer> {
  const nowMs = clock.now();
  const { adagents_json, findings, file } = await generateFile(body, nowMs);
  const told = (list: (typeof findings)['errors']) => list.map((finding) => ({ ...finding, source_url: null }));
  const validation = {
    ...{ valid: true, errors: told(findings.errors), warnings: told(findings.warnings), problems: file.problems },
  };
  return {
    body: {
      success: true,
      data: { success: true, adagents_json, validation },
      timestamp: toTimestamp(nowMs),
    },
  };
}
