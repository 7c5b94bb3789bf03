import { z } from 'zod';
import type { BadgeRole } from '../../directory/badge/badge.ts';
import type { JsonObject } from '../../platform/json-object.ts';

/** What a role asks of an agent: tasks it must declare, and the one of them that only reads and may be called without a credential. */
export interface RoleTasks {
  declares: readonly string[];
  called: string;
  /** Requests by the task's schema, in the words of one release and another: each is tried until one is answered rightly. */
  asked: readonly JsonObject[];
  /** What every known release has as required in an answer to the call. */
  answer: z.ZodType;
  /** The field of an id that only clients of the agent know; a new one, which is nobody's, is sent in it. */
  idField?: string;
}

const BRIEF = 'Advertising for a check of what this agent answers';
const text = z.string().min(1);
const some = z.array(z.looseObject({})).min(1);
const listOf = (name: string, item: z.ZodType) => z.looseObject({ [name]: z.array(item) });

const Product = z
  .looseObject({
    ...{ product_id: text, name: text, description: z.string(), publisher_properties: some },
    ...{ delivery_type: z.enum(['guaranteed', 'non_guaranteed']), pricing_options: some },
    // From 3.1 on one of the two.
    ...{ format_ids: z.array(z.unknown()).optional(), format_options: some.optional() },
  })
  .refine(({ format_ids, format_options }) => (format_ids ?? format_options) !== undefined, { path: ['format_ids'] });
const Signal = z.looseObject({
  ...{ signal_agent_segment_id: text, name: text, description: z.string() },
  ...{ signal_type: text, deployments: z.array(z.looseObject({})) },
});
const Format = z.looseObject({ format_id: z.union([text, z.looseObject({ id: text })]), name: text });

export const ROLE_TASKS: Record<BadgeRole, RoleTasks> = {
  'media-buy': {
    declares: ['get_products', 'create_media_buy'],
    called: 'get_products',
    asked: [{ buying_mode: 'brief', brief: BRIEF }, { brief: BRIEF }],
    answer: listOf('products', Product),
  },
  creative: {
    declares: ['list_creative_formats', 'build_creative'],
    called: 'list_creative_formats',
    asked: [{}],
    answer: listOf('formats', Format),
  },
  signals: {
    declares: ['get_signals'],
    called: 'get_signals',
    asked: [
      { signal_spec: BRIEF },
      { signal_spec: BRIEF, deliver_to: { deployments: [{ type: 'platform', platform: 'all' }], countries: ['US'] } },
    ],
    answer: listOf('signals', Signal),
  },
  governance: {
    declares: ['check_governance'],
    called: 'check_governance',
    asked: [{ caller: 'https://registry.example' }],
    answer: z.looseObject({ check_id: text, status: text, plan_id: text }),
    idField: 'plan_id',
  },
  brand: {
    declares: ['get_brand_identity'],
    called: 'get_brand_identity',
    asked: [{}],
    answer: z.looseObject({ brand_id: text, names: z.array(z.looseObject({})) }),
    idField: 'brand_id',
  },
  'sponsored-intelligence': {
    declares: ['si_get_offering', 'si_initiate_session'],
    called: 'si_get_offering',
    asked: [{}],
    answer: z.looseObject({ available: z.boolean() }),
    idField: 'offering_id',
  },
};

const ProtocolError = z.looseObject({ code: z.string().regex(/^[A-Z][A-Z0-9_]{2,63}$/), message: text });
const Refusal = z.union([
  z.looseObject({ adcp_error: ProtocolError }).transform(({ adcp_error }) => adcp_error.code),
  z.looseObject({ errors: z.tuple([ProtocolError], ProtocolError) }).transform(({ errors }) => errors[0].code),
  ProtocolError.transform(({ code }) => code),
]);

/** The code of a refusal as the protocol writes it; absent for anything else. */
export function refusedWith(data: JsonObject): string | undefined {
  return Refusal.safeParse(data).data;
}

/** Whether it answers a role's call by the task's schema. A refusal is none. */
export function isAnswer(role: BadgeRole, data: JsonObject): boolean {
  return !('adcp_error' in data) && data['status'] !== 'failed' && ROLE_TASKS[role].answer.safeParse(data).success;
}

/** The first member of an answer that is missing, or of another type than the schema has, as `products.0.name`. */
export function wrongMember(role: BadgeRole, data: JsonObject): string | undefined {
  return ROLE_TASKS[role].answer.safeParse(data).error?.issues[0]?.path.join('.');
}
