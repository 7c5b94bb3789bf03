import type { Runtime } from '../runtime/runtime.ts';

/** What tasks may see of tasks: the caller's own, and the names there are. */
export interface TaskReader extends Pick<Runtime, 'read' | 'list'> {
  names(): string[];
}
