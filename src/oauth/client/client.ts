import { z } from 'zod';
import type { CollectionSpec } from '../../platform/store/collection.ts';
import type { ProtectedResource } from '../resources.ts';
import { redirectUriProblem } from './redirect-uri.ts';

const RedirectUri = z.string().superRefine((uri, context) => {
  const problem = redirectUriProblem(uri);
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
});

/** An application that asks for tokens. All are public: they prove themselves by PKCE, not by a secret. */
export const ConfiguredClient = z.strictObject({
  client_id: z.string().regex(/^[\w.~-]{1,100}$/, 'must be 1 to 100 of letters, digits and - . _ ~'),
  client_name: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .refine(
      (name) => !/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\u200b\u2060\ufeff]/u.test(name),
      'must hold no control or invisible characters, nor any that change the direction of writing',
    ),
  redirect_uris: z.array(RedirectUri).min(1).max(10),
});
export type ConfiguredClient = z.infer<typeof ConfiguredClient>;

/** A part of this agent that people sign in to here. It is given no tokens: what it is allowed counts in this agent alone. */
export interface OwnClient extends ConfiguredClient {
  /** All that it can ask for. */
  resource: ProtectedResource;
}

/** An application that registered itself (RFC 7591). What is stored may be of a time that allowed more. */
export const RegisteredClient = z.object({
  client_id: z.string(),
  client_name: z.string(),
  redirect_uris: z.array(z.string()),
  created_at: z.string(),
  /** Null once somebody has allowed it something; until then it is forgotten after a while. */
  expires_at: z.string().nullable(),
  revision: z.number().int(),
});
export type RegisteredClient = z.infer<typeof RegisteredClient>;

export const registeredClients: CollectionSpec<RegisteredClient> = {
  name: 'oauth_clients',
  key: 'client_id',
  schema: RegisteredClient,
  indexes: [],
  expires: 'expires_at',
};
