import type { TaskServices } from '../runtime/task-services.ts';

/** What tasks may see of tasks: the caller's own, and the names there are. */
export interface TaskReader extends Pick<TaskServices, 'read' | 'list'> {
  names(): string[];
}
