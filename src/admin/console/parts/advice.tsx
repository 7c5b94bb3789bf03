import type { Attempt } from '../../../webhooks/delivery/delivery.ts';
import type { Markup } from '../html/markup.ts';
import { Said } from './words.tsx';

interface AdviceProps {
  of: string | null | undefined;
  /** What the advice is about. */
  last?: Pick<Attempt, 'http_status_code' | 'error_message' | 'signature_error'> | undefined;
}

/** Why a webhook is not taken and what can be done; where nothing can or must, nothing. */
export function Advice({ of, last }: AdviceProps): Markup {
  if (of === null || of === undefined) return <></>;
  const why = [last?.http_status_code, last?.signature_error ?? last?.error_message].filter(
    (part) => part !== undefined,
  );
  return (
    <p class="note">
      {why.length > 0 && (
        <>
          {'The last attempt: '}
          <Said>{why.join(', ')}</Said>
          {'. '}
        </>
      )}
      {'At the receiver: '}
      <Said>{of}</Said>
    </p>
  );
}
