import type { ReceivedWebhook } from '#receiver';

/** What the buyer's receiver has heard so far. */
export interface ReceivedEvents {
  readonly events: readonly ReceivedWebhook[];
  heard(webhook: ReceivedWebhook): void;
  /** A webhook that must not be: whoever waits, or waits later, learns of it. */
  failed(error: Error): void;
  /**
   * Waits until an event has been heard.
   * @throws {Error} when a webhook failed, or none such came in time.
   */
  until(isMeant: (webhook: ReceivedWebhook) => boolean, what: string): Promise<ReceivedWebhook>;
}

/** @param timeoutMs how long to wait in all, from now on. */
export function createReceivedEvents(timeoutMs: number): ReceivedEvents {
  const events: ReceivedWebhook[] = [];
  const deadline = AbortSignal.timeout(timeoutMs);
  let failure: Error | undefined;
  let wake: () => void = () => undefined;
  deadline.addEventListener('abort', () => {
    wake();
  });
  return {
    events,
    heard(webhook) {
      events.push(webhook);
      wake();
    },
    failed(error) {
      failure ??= error;
      wake();
    },
    async until(isMeant, what) {
      for (;;) {
        if (failure !== undefined) throw failure;
        const found = events.find(isMeant);
        if (found !== undefined) return found;
        if (deadline.aborted)
          throw new Error(`no ${what} webhook came within ${timeoutMs / 1000} s${lastWord(events)}`);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

function lastWord(events: readonly ReceivedWebhook[]): string {
  const { status, message = '' } = events.at(-1)?.event ?? {};
  return status === undefined ? '' : `; the last said ${status}: ${message}`;
}
