import type { Registration } from '../../../runtime/registration.ts';

/** By what a receiver was named, in words: whoever calls by A2A, too, may name it in a task’s input. Pure. */
export function channelWords(channel: Registration['channel']): string {
  return channel === 'mcp' ? 'the task’s input' : 'the protocol’s push mechanism';
}
