import { isAnybody } from '../directory/caller.ts';
import { credentialRefused } from '../dialects/adcp/credential-refusal.ts';
import type { Dialects, DiscoveryAnswer, PublicAnswer } from '../dialects/dialects.ts';
import type { JsonObject } from '../platform/json-object.ts';
import { jsonSchemaOf } from '../platform/json-schema.ts';
import { isToolName } from './tool-set.ts';
import type { ToolAnswer, ToolListing, ToolSet } from './tool-set.ts';

type PublicSkill = Dialects['skills'][number];

/**
 * The tasks of the public protocol as tools, in the order of their list. What has no name that a tool may have is not listed; it
 * is answered all the same, to clients that ask for it by habit.
 */
export function publicTools(dialects: Dialects): ToolSet {
  let listed: readonly ToolListing[] | undefined;
  return {
    list: () => (listed ??= dialects.skills.filter(({ skill }) => isToolName(skill)).map(listing)),
    call({ name, input, ...given }) {
      if (!dialects.has(name)) return undefined;
      const call = { ...given, skill: name, request: input };
      if (isAnybody(call.caller)) return dialects.discover(call).then(told);
      return dialects.answer(call).then((answer) => ({
        ...told(answer),
        ...(GOES_ON[answer.outcome] && { goesOn: answer.run }),
      }));
    },
    standing: async (run, caller) => told(await dialects.standing(run, caller)),
    discovery: dialects.discovery,
    needsCredential: (input) => dialects.needsCredential(input),
    credentialRefused,
    refused: (error, input) => dialects.refused(error, input),
  };
}

function told({ body, outcome }: DiscoveryAnswer): ToolAnswer {
  return { body, isError: outcome === 'failed' };
}

const GOES_ON = {
  completed: false,
  submitted: true,
  failed: false,
  canceled: false,
  'input-required': true,
  'auth-required': true,
} as const satisfies Record<PublicAnswer['outcome'], boolean>;

function listing({ skill, title, description, mutates, changesWithoutKey = false, input }: PublicSkill): ToolListing {
  const { properties, required = [] } = withoutDefaults(jsonSchemaOf(input, 'input'));
  const needed = [...required, ...(mutates && !required.includes('idempotency_key') ? ['idempotency_key'] : [])];
  return {
    ...{ name: skill, title, description },
    inputSchema: {
      type: 'object',
      properties: { ...properties, ...(mutates && { idempotency_key: KEY }) },
      ...(needed.length > 0 && { required: needed }),
      additionalProperties: true,
    },
    annotations: { readOnlyHint: !mutates && !changesWithoutKey, idempotentHint: true },
  };
}

interface InputSchema {
  properties?: JsonObject;
  required?: string[];
}

/** Without saying of each object within that more keys are taken, which is so where nothing is said. */
function withoutDefaults(schema: JsonObject): InputSchema {
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) =>
      key === 'additionalProperties' && JSON.stringify(value) === '{}' ? undefined : value,
    ),
  ) as InputSchema;
}

const KEY = {
  type: 'string',
  description: 'A key of your own, new for each new request; with the same one again, a request is done once.',
};
