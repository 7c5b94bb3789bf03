import { z } from 'zod';
import type { BadgeRole } from '../../directory/badge/badge.ts';

/** What a role asks of an agent: tasks it must declare, and the one of them that only reads, which is called. */
export interface RoleTasks {
  declares: readonly string[];
  called: string;
  /** What an answer to the call has at least. */
  answer: z.ZodType;
}

const listOf = (name: string, id: string) =>
  z.looseObject({ [name]: z.array(z.looseObject({ [id]: z.union([z.string().min(1), z.looseObject({})]) })) });

export const ROLE_TASKS: Record<BadgeRole, RoleTasks> = {
  'media-buy': {
    declares: ['get_products', 'create_media_buy'],
    called: 'get_products',
    answer: listOf('products', 'product_id'),
  },
  creative: {
    declares: ['list_creative_formats', 'build_creative'],
    called: 'list_creative_formats',
    answer: listOf('formats', 'format_id'),
  },
  signals: { declares: ['get_signals'], called: 'get_signals', answer: listOf('signals', 'signal_agent_segment_id') },
  governance: {
    declares: ['check_governance'],
    called: 'check_governance',
    answer: z.looseObject({ status: z.string().min(1) }),
  },
  brand: {
    declares: ['get_brand_identity'],
    called: 'get_brand_identity',
    answer: z.looseObject({ brand_id: z.string().min(1) }),
  },
  'sponsored-intelligence': {
    declares: ['si_get_offering', 'si_initiate_session'],
    called: 'si_get_offering',
    answer: z.looseObject({ available: z.boolean() }),
  },
};

const ProtocolError = z.looseObject({ code: z.string().regex(/^[A-Z][A-Z0-9_]{2,63}$/), message: z.string().min(1) });

/** A refusal of a task as the protocol writes it: only an agent that read the call says what is wrong with it. */
export const Refusal = z.union([
  z.looseObject({ errors: z.array(ProtocolError).min(1) }),
  z.looseObject({ adcp_error: ProtocolError }),
  ProtocolError,
]);
