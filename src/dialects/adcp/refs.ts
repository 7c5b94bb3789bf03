import { z } from 'zod';
import type { JsonObject } from '../../platform/json-object.ts';

/** A creative format by its name at the agent that defines it; what a template would take besides is passed over. */
export const FormatRef = z.looseObject({ agent_url: z.string().max(2048), id: z.string().max(256) });
export type FormatRef = z.infer<typeof FormatRef>;

/** For comparison: the same agent may be written with a slash at the end. Pure. */
export function formatRefKey({ agent_url, id }: FormatRef): string {
  return `${agent_url.replace(/\/+$/, '')} ${id}`;
}

/** As the public protocol writes it, but that capital letters are taken. */
const Domain = z
  .string()
  .max(253)
  .regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i, 'send a domain such as acme.example');

/** Which brand is advertised: the domain that speaks for it. */
export const BrandRef = z.looseObject({ domain: Domain, brand_id: z.string().max(256).optional() });
export type BrandRef = z.infer<typeof BrandRef>;

/** Whose money it is, by an id or by what is known of it. */
export const AccountRef = z.looseObject({
  account_id: z.string().max(256).optional(),
  brand: BrandRef.optional(),
  operator: Domain.optional(),
  sandbox: z.boolean().optional(),
});
export type AccountRef = z.infer<typeof AccountRef>;

/** A brand in our own field. Pure. */
export function brandManifest({ domain }: BrandRef): JsonObject {
  return { name: domain, url: `https://${domain}` };
}
