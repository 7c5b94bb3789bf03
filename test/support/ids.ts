import { OrganizationId } from '../../src/platform/organization-id.ts';
import { TaskId } from '../../src/platform/task-id.ts';
import { MediaBuyId } from '../../src/sales/media-buy/media-buy-id.ts';

/** Ids of literals, for tests that call what tells them apart. */
export const taskId = (text: string): TaskId => TaskId.parse(text);
export const organizationId = (text: string): OrganizationId => OrganizationId.parse(text);
export const mediaBuyId = (text: string): MediaBuyId => MediaBuyId.parse(text);
