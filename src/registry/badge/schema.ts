import { z } from 'zod';
import { BadgeRole } from '../../directory/badge/badge.ts';

/**
 * An embed (rule C.resources.badge); beside these there is `{protocol}_version`, whose name is configured (rule N1).
 */
export const BadgeEmbed = z
  .looseObject({
    agent_url: z.string(),
    role: BadgeRole,
    verified: z.boolean(),
    badge_svg_url: z.string(),
    registry_url: z.string(),
    html: z.string(),
    markdown: z.string(),
  })
  .meta({
    description: 'Beside these fields, one named after the protocol holds the release as MAJOR.MINOR',
  });
