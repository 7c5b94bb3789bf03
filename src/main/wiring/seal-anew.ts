import { SEALED_FOR_OPERATOR } from '../../admin/operator/operator-key.ts';
import { sealedForSlot } from '../../oauth/keys/token-key-row.ts';
import { registeredUrl } from '../../platform/crypto/sealed-url.ts';
import { isSealedByFormer, sealAnew } from '../../platform/crypto/sealed-values.ts';
import { SEALED_FOR_LATER } from '../../platform/crypto/secret.ts';
import type { Sealer } from '../../platform/crypto/sealer.ts';
import { allPages } from '../../platform/store/all-rows.ts';
import type { Collection, CollectionSpec, Row, Store } from '../../platform/store/collection.ts';
import { sealedForKey } from '../../webhooks/keys/signing-key-row.ts';
import { sealedFor } from '../../webhooks/registration/webhook-target.ts';
import { COLLECTIONS } from './collections.ts';
import { sealedUrls } from './seal-urls.ts';

/** How a walk over everything stored went. */
export interface StoreSealedAnew {
  /** Rows that were written. */
  rows: number;
  /** Values that a former secret sealed and still does, since nothing they may be bound to opens them. */
  stuck: number;
  /** Rows that cannot be read, in which there may be more. */
  unread: number;
}

/**
 * Seals anew, with the present secret, all that former ones sealed in the whole store, and what 0.1.0 left unsealed, row by row:
 * safe to repeat, to be killed in, and to run beside other processes that know both secrets (rule S4).
 */
export async function sealStoreAnew(store: Store, sealer: Sealer): Promise<StoreSealedAnew> {
  const walked: StoreSealedAnew = { rows: 0, stuck: 0, unread: 0 };
  for (const spec of COLLECTIONS as readonly unknown[]) {
    await sealCollectionAnew(store.collection(spec as CollectionSpec<Row>), sealer, walked);
  }
  return walked;
}

async function sealCollectionAnew(rows: Collection<Row>, sealer: Sealer, walked: StoreSealedAnew): Promise<void> {
  const onSkipped = (keys: readonly string[]) => {
    walked.unread += keys.length;
  };
  for await (const page of allPages(rows, { where: {}, limit: PAGE, onSkipped })) {
    for (const found of page) {
      if (!isSealedByFormer(sealer, found) && sealedUrls(sealer, rows.spec.name, found) === found) continue;
      let stuck = 0;
      const result = await rows.update(String(found[rows.spec.key]), (row) => {
        const anew = sealAnew(sealer, sealedUrls(sealer, rows.spec.name, row), boundTos(sealer, row));
        stuck = anew.stuck;
        return anew.value === row ? undefined : anew.value;
      });
      walked.stuck += stuck;
      if (result?.changed === true) walked.rows += 1;
    }
  }
}

const PAGE = 200;

/** What anything sealed in a row may be bound to: the URL it is for, the key's own id or place, or a name. */
function boundTos(sealer: Sealer, row: Row): string[] {
  const { slot, kid } = row as { slot?: unknown; kid?: unknown };
  return [
    ...[...urlsIn(sealer, row)].map(sealedFor),
    ...(typeof slot === 'string' ? [sealedForSlot(slot)] : []),
    ...(typeof kid === 'string' ? [sealedForKey(kid)] : []),
    ...[SEALED_FOR_OPERATOR, SEALED_FOR_LATER],
  ];
}

/** Every member called `url`, at any depth, as it was registered. */
function urlsIn(sealer: Sealer, part: unknown, found = new Set<string>()): Set<string> {
  if (typeof part !== 'object' || part === null) return found;
  for (const [name, member] of Object.entries(part)) {
    if (name === 'url' && typeof member === 'string') found.add(openedUrl(sealer, member));
    else urlsIn(sealer, member, found);
  }
  return found;
}

/** A URL in a row; one that is no webhook's, or opens no more, is what it is. */
function openedUrl(sealer: Sealer, url: string): string {
  try {
    return registeredUrl(sealer, url);
  } catch {
    return url;
  }
}
