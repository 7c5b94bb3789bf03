import { z } from 'zod';
import { fittingParts } from '../../platform/fitting-parts.ts';
import type { FittingParts } from '../../platform/fitting-parts.ts';
import { CreateMediaBuyRequest, MAX_PACKAGES, PackageRequest } from './schema.ts';

/** A package of which parts may be missing. */
const PackageParts = PackageRequest.partial();
export type PackageParts = z.infer<typeof PackageParts>;

/** A request of which parts may be missing; a whole one is one, too. */
const MediaBuyParts = CreateMediaBuyRequest.partial().extend({
  packages: z.array(PackageParts).max(MAX_PACKAGES).optional(),
});
export type MediaBuyParts = z.infer<typeof MediaBuyParts>;

/** What can be judged of a request that does not fit the schema (rule B12.details). */
export function fittingPartsOfBuy(request: unknown): FittingParts<MediaBuyParts> | undefined {
  return fittingParts(MediaBuyParts, request);
}
