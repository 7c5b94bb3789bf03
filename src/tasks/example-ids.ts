import { TaskId } from '../platform/task-id.ts';
import { mediaBuyIdOf } from './create-media-buy/new-media-buy.ts';

/** The task and the media buy that the card's examples name; `npm start` makes them for the key that it prints. */
export const EXAMPLE_TASK_ID = TaskId.parse('3f1c9a52-8f0e-4a57-9d1c-1d2f6f1b7a10');
export const EXAMPLE_MEDIA_BUY_ID = mediaBuyIdOf(EXAMPLE_TASK_ID);
