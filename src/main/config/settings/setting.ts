import type { z } from 'zod';

/** One setting of the environment. */
export interface EnvironmentSetting<T> {
  schema: z.ZodType<T | undefined>;
  /** One line for people; goes into `.env.example`. */
  doc: string;
  example: string;
}

export function setting<T>(value: z.ZodType<T>, example: string, doc: string): EnvironmentSetting<T> {
  return { schema: value.optional(), doc, example };
}
