import type { ShownAnswer } from '../../../webhooks/answers/receiver-answer.ts';
import type { Child, Markup } from '../html/markup.ts';
import { Said, When } from './words.tsx';

interface ReceiverSaidProps {
  of: ShownAnswer | null;
  /** The webhook whose page this is, and the link to another. */
  delivery_id: string;
  link: (delivery_id: string) => Child;
  now: number;
}

/** What a receiver said when it last failed this buyer: what the seller and its buyer see alike. */
export function ReceiverSaid({ of, delivery_id, link, now }: ReceiverSaidProps): Markup {
  if (of === null) return <></>;
  return (
    <>
      <h2>What the receiver said last when it failed</h2>
      <p class="quiet">
        {`With status ${of.http_status_code}, `}
        <When at={of.answered_at} now={now} />
        {', to '}
        {of.delivery_id === delivery_id ? 'this webhook' : <>another webhook: {link(of.delivery_id)}</>}
        {'. Its own words, with stars for what is secret; kept for 7 days.'}
      </p>
      {of.text === '' ? (
        <p class="empty">{emptyAnswer(of)}</p>
      ) : (
        <pre tabindex={0}>
          <Said>{of.text}</Said>
          {of.is_cut && '…'}
        </pre>
      )}
    </>
  );
}

/** Why there are no words. Pure. */
export function emptyAnswer({ is_cut }: Pick<ShownAnswer, 'is_cut'>): string {
  return is_cut ? 'It said something that cannot be read.' : 'It said nothing beside its status.';
}
