import { z } from 'zod';

/** Channels by the protocol's taxonomy. */
export const MediaChannel = z.enum([
  ...(['display', 'olv', 'social', 'search', 'ctv', 'linear_tv', 'radio', 'streaming_audio', 'podcast'] as const),
  ...(['dooh', 'ooh', 'print', 'cinema', 'email', 'gaming', 'retail_media', 'influencer', 'affiliate'] as const),
  ...(['product_placement', 'sponsored_intelligence'] as const),
]);
