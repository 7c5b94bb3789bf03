import type { LookView } from '../../operator/registry/looks.ts';
import type { Child, Markup } from '../html/markup.ts';
import { Said, State, When } from '../parts/words.tsx';

/** How the last look at something went. */
export function lookState(look: LookView | null): Markup {
  if (look === null) return <span class="quiet">nobody looks</span>;
  if (look.last_tried_at === null) return <State of="pending" />;
  return <State of={look.last_error === null ? 'ok' : 'failed'} />;
}

/** The same with all that is known of it, under a name. */
export function lookFacts(name: string, look: LookView | null, now: number): (readonly [string, Child])[] {
  if (look === null) return [];
  const { last_error, failing_since, due_at, last_ok_at } = look;
  return [
    [name, lookState(look)],
    ['Read last', <When at={last_ok_at} now={now} />],
    ['Why not', last_error !== null && <Said>{last_error}</Said>],
    ['Not since', failing_since !== null && <When at={failing_since} now={now} />],
    ['Next look', <When at={due_at} now={now} />],
  ];
}
