import { z } from 'zod';
import { COMPANY_TYPES, REVENUE_TIERS } from '../../directory/organization/organization.ts';

/** Controls, lone surrogates, private use, line separators, and marks that reorder or hide text; joiners are letters' own. */
const UNPRINTABLE =
  /[\p{Cc}\p{Cs}\p{Co}\p{Zl}\p{Zp}\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/u;

/** A display name: trimmed, NFC, 1–200 characters, no control characters or markup (rule R7). */
export const DisplayName = z
  .string()
  .transform((text) => text.normalize('NFC').trim())
  .pipe(
    z
      .string()
      .min(1, 'required; send 1 to 200 characters')
      .refine((text) => Array.from(text).length <= 200, 'send at most 200 characters')
      .refine((text) => !UNPRINTABLE.test(text), 'control characters are not allowed')
      .refine((text) => !/[<>]|&(?:#\w+|\w+);/.test(text), 'markup is not allowed'),
  );

/** What a caller says of the organization (rule C.resources.organization-request). */
export const OrganizationRequest = z.object({
  organization_name: DisplayName.describe('Display name of the organization, 1–200 characters'),
  is_personal: z.boolean().optional().describe('A personal workspace: one per user, no company domain'),
  company_type: z.enum(COMPANY_TYPES).optional(),
  revenue_tier: z.enum(REVENUE_TIERS).optional().describe('Annual revenue in US dollars'),
  marketing_opt_in: z.boolean().optional().describe('Recorded once per user'),
});

export const OrganizationCreated = z.object({
  success: z.literal(true),
  organization: z.object({ id: z.string(), name: z.string() }),
});

export const OrganizationAdopted = z.object({ id: z.string(), name: z.string(), adopted: z.literal(true) });
