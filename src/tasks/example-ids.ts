import { TaskId } from '../platform/task-id.ts';
import { packageId } from '../sales/media-buy/package-id.ts';
import { mediaBuyIdOf } from './create-media-buy/new-media-buy.ts';

/** The task and the media buy that the card's examples name; `npm start` makes them for the key that it prints. */
export const EXAMPLE_TASK_ID = TaskId.parse('3f1c9a52-8f0e-4a57-9d1c-1d2f6f1b7a10');
export const EXAMPLE_MEDIA_BUY_ID = mediaBuyIdOf(EXAMPLE_TASK_ID);
/** The only package of that buy. */
export const EXAMPLE_PACKAGE_ID = packageId(EXAMPLE_MEDIA_BUY_ID, 1);

/** Another task and its buy, made likewise, which one of the examples cancels. */
export const EXAMPLE_TASK_TO_CANCEL_ID = TaskId.parse('9b7d1e64-2c35-4f0a-8a1e-5d0c3b9f2e71');
export const EXAMPLE_MEDIA_BUY_TO_CANCEL_ID = mediaBuyIdOf(EXAMPLE_TASK_TO_CANCEL_ID);
