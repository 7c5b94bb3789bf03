import { z } from 'zod';
import type { Clock } from '../../platform/clock.ts';
import { hashToken } from '../../platform/crypto/one-time-token.ts';
import type { Sealer } from '../../platform/crypto/sealer.ts';

/** What one look at a creative is good for: one version of it, for whoever has this session. */
const Previewed = z.object({
  organization_id: z.string(),
  /** Its `creative_ref`. */
  creative_id: z.string(),
  version: z.int(),
  session_hash: z.string(),
  /** Milliseconds since 1970. */
  until: z.int(),
});
type Previewed = z.infer<typeof Previewed>;

/** How long a preview can be opened: from the page that shows it to its frame. */
export const PREVIEW_LIFE_MS = 300_000;
const BOUND_TO = 'creative preview';

/** The way in to a preview, as it stands in its address: sealed by the installation's secret, and kept nowhere. `session`: the cookie's value. */
export function sealPreview(
  { sealer, clock }: { sealer: Sealer; clock: Pick<Clock, 'now'> },
  session: string,
  of: Pick<Previewed, 'organization_id' | 'creative_id' | 'version'>,
): string {
  const { organization_id, creative_id, version } = of;
  const sealed: Previewed = {
    ...{ organization_id, creative_id, version },
    session_hash: hashToken(session),
    until: clock.now() + PREVIEW_LIFE_MS,
  };
  return sealer.seal(JSON.stringify(sealed), BOUND_TO);
}

/** What a token is for, however old it is; undefined for one that this installation has not made. */
export function openPreview({ sealer }: { sealer: Sealer }, token: string): Previewed | undefined {
  try {
    return Previewed.parse(JSON.parse(sealer.open(token, BOUND_TO)));
  } catch {
    return undefined;
  }
}
