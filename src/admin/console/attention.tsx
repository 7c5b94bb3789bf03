import { within } from '../../platform/within.ts';
import { listActions } from '../operator/actions/operations.ts';
import { listQueues } from '../operator/queues/operations.ts';
import type { PageCall } from './console-page.ts';
import type { Markup } from './html/markup.ts';
import { Said, When, Who } from './parts/words.tsx';

/** No page waits longer for what is told above it, in milliseconds. */
const MOST_MS = 1_000;

/** What is to be known on every page: which queues are paused, by whom and why, and that Redis is away. */
export async function attentionOf(call: Pick<PageCall, 'read' | 'now'>): Promise<Markup> {
  const { queues } = await within(MOST_MS, call.read(listQueues), away).catch(away);
  if (queues === undefined) {
    return (
      <p class="note bad">
        {
          'The job queues (Redis) do not answer: what is owed waits, and nothing is lost. This page is refreshed every 30 seconds.'
        }
      </p>
    );
  }
  const paused = queues.filter(({ is_paused }) => is_paused);
  const notes = await Promise.all(paused.map(({ queue }) => pausedNote(call, queue)));
  return <>{notes}</>;
}

const away = (): { queues?: undefined } => ({});

async function pausedNote({ read, now }: Pick<PageCall, 'read' | 'now'>, queue: string): Promise<Markup> {
  const { actions } = await read(listActions, { query: { target: `/queues/${queue}`, limit: '1' } });
  const [last] = actions;
  const why = last?.input['reason'];
  return (
    <p class="note bad">
      {`The queue ${queue} is paused: what is owed waits, and nothing is lost. `}
      {last?.action === 'queues.pause' && (
        <>
          <Who of={last.by} />
          {', '}
          <When at={last.at} now={now} />
          {typeof why === 'string' && (
            <>
              {': '}
              <Said>{why}</Said>
            </>
          )}
          {'. '}
        </>
      )}
      <a href="/admin/job-queues">Queues</a>
    </p>
  );
}
