import { z } from 'zod';

/** Which of a product's format options is meant. */
export const FormatOptionRef = z.looseObject({ scope: z.string().max(32), format_option_id: z.string().max(512) });
export type FormatOptionRef = z.infer<typeof FormatOptionRef>;
