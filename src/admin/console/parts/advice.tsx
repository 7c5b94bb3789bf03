import type { Markup } from '../html/markup.ts';
import { Said } from './words.tsx';

/** What can be done where a webhook is not taken; where nothing can or must, nothing. */
export function Advice({ of }: { of: string | null | undefined }): Markup {
  if (of === null || of === undefined) return <></>;
  return (
    <p class="note">
      {'At the receiver: '}
      <Said>{of}</Said>
    </p>
  );
}
