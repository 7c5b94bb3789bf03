import { z } from 'zod';

/** At most this many agents govern one account. */
const MAX_AGENTS = 10;

/** An agent of the buyer's that judges what is bought under an account. It is kept to be told; nothing here asks it. */
export const GovernanceAgent = z.strictObject({
  url: z
    .string()
    .max(2048)
    .refine(isPlainHttps, 'send an https:// address without a name, a password or a fragment in it'),
  /** What it judges; left out: everything. */
  categories: z
    .array(
      z
        .string()
        .max(64)
        .regex(/^[a-z][a-z0-9_]*$/, 'send a-z, 0-9 and "_", a letter first'),
    )
    .max(20, 'send at most 20')
    .optional(),
});
export type GovernanceAgent = z.infer<typeof GovernanceAgent>;

/** Those of one account. */
export const GovernanceAgents = z.array(GovernanceAgent).min(1, 'send at least one agent').max(MAX_AGENTS);

function isPlainHttps(text: string): boolean {
  if (!text.startsWith('https://') || !URL.canParse(text)) return false;
  const { username, password, hash } = new URL(text);
  return username === '' && password === '' && hash === '';
}
