import { isUrlByPrevious, registeredUrl, storedUrl } from './sealed-url.ts';
import type { Sealer } from './sealer.ts';

/** What became of the sealed values in something stored. */
export interface SealedAnew<T> {
  /** The very same object when there was nothing to do. */
  value: T;
  /** Values that a former secret sealed and that open for nothing they may be bound to: they stay as they are. */
  stuck: number;
}

/**
 * A stored value in which every text, and every query of a URL, that a former secret sealed, at any depth, is sealed by the
 * present one, for the same purpose. Pure but for chance.
 * @param boundTos what sealed texts in it may be bound to
 */
export function sealAnew<T>(sealer: Sealer, value: T, boundTos: readonly string[]): SealedAnew<T> {
  let stuck = 0;

  function textAnew(text: string): string {
    const url = isUrlByPrevious(sealer, text) ? openedOrNot(() => registeredUrl(sealer, text)) : undefined;
    if (url !== undefined) return storedUrl(sealer, url);
    if (!isTextByFormer(sealer, text)) return text;
    for (const boundTo of boundTos) {
      const opened = openedOrNot(() => sealer.open(text, boundTo));
      if (opened !== undefined) return sealer.seal(opened, boundTo);
    }
    stuck += 1;
    return text;
  }

  function anew(part: unknown): unknown {
    if (typeof part === 'string') return textAnew(part);
    if (typeof part !== 'object' || part === null) return part;
    if (Array.isArray(part)) {
      const items = part.map(anew);
      return items.some((item, i) => item !== part[i]) ? items : part;
    }
    const members = Object.entries(part).map(([name, member]) => [name, member, anew(member)] as const);
    if (members.every(([, before, after]) => before === after)) return part;
    return Object.fromEntries(members.map(([name, , after]) => [name, after]));
  }

  return { value: anew(value) as T, stuck };
}

/** Whether a text in it, at any depth, was sealed by a former secret. What only looks like it, such as a buyer's text, was not. */
export function isSealedByFormer(sealer: Sealer, value: unknown): boolean {
  if (typeof value === 'string') return isTextByFormer(sealer, value);
  return (
    typeof value === 'object' && value !== null && Object.values(value).some((part) => isSealedByFormer(sealer, part))
  );
}

function isTextByFormer(sealer: Sealer, text: string): boolean {
  return sealer.isByPrevious(text) || isUrlByPrevious(sealer, text);
}

function openedOrNot(open: () => string): string | undefined {
  try {
    return open();
  } catch {
    return undefined;
  }
}
