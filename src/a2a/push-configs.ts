import { TaskPushNotificationConfig } from '@a2a-js/sdk';
import type {
  DeleteTaskPushNotificationConfigRequest,
  GetTaskPushNotificationConfigRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
} from '@a2a-js/sdk';
import { AppError } from '../platform/errors.ts';
import { withoutQuery } from '../platform/outbound/without-query.ts';
import type { RegistrationRequest } from '../runtime/notifier.ts';
import type { Registration } from '../runtime/registration.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { A2aCall } from './call.ts';
import { checkedId, checkedTaskId } from './message-check.ts';

/** A registration by A2A's own mechanism, as the notifier wants it (rule W5). */
export function registrationRequest(
  config: TaskPushNotificationConfig,
  call: A2aCall,
  field: string,
): RegistrationRequest {
  return { channel: 'a2a', wire: call.wire, config: TaskPushNotificationConfig.toJSON(config), field };
}

/**
 * Registers a webhook with a task. Secrets go in and never come out, nor does the query of its URL (rules W4, W11).
 * @throws {AppError} see `Runtime.addRegistration`.
 */
export async function createPushConfig(
  runtime: Runtime,
  config: TaskPushNotificationConfig,
  call: A2aCall,
): Promise<TaskPushNotificationConfig> {
  const field = call.wire === '0.3' ? 'pushNotificationConfig' : 'taskPushNotificationConfig';
  const request = registrationRequest(config, call, field);
  const taskId = checkedTaskId(config.taskId, 'taskId');
  return configView(taskId, await runtime.addRegistration(call.caller, taskId, request));
}

/**
 * Without an id, as 0.3 allows: the first.
 * @throws {AppError} `TASK_NOT_FOUND` for an unknown task or configuration.
 */
export async function getPushConfig(
  runtime: Runtime,
  { taskId, id }: GetTaskPushNotificationConfigRequest,
  call: A2aCall,
): Promise<TaskPushNotificationConfig> {
  const registrations = await runtime.listRegistrations(call.caller, checkedTaskId(taskId, 'taskId'));
  const found = registrations.find(({ registration_id }) => id === '' || registration_id === id);
  if (found === undefined) {
    throw new AppError('TASK_NOT_FOUND', 'the task has no push notification configuration of this id', {
      field: 'id',
    });
  }
  return configView(taskId, found);
}

/** @throws {AppError} `TASK_NOT_FOUND`. */
export async function listPushConfigs(
  runtime: Runtime,
  { taskId }: ListTaskPushNotificationConfigsRequest,
  call: A2aCall,
): Promise<ListTaskPushNotificationConfigsResponse> {
  const registrations = await runtime.listRegistrations(call.caller, checkedTaskId(taskId, 'taskId'));
  return { configs: registrations.map((one) => configView(taskId, one)), nextPageToken: '' };
}

/** Deleting one that is not there changes nothing. @throws {AppError} `TASK_NOT_FOUND`. */
export async function deletePushConfig(
  runtime: Runtime,
  { taskId, id }: DeleteTaskPushNotificationConfigRequest,
  call: A2aCall,
): Promise<void> {
  await runtime.endRegistration(call.caller, checkedTaskId(taskId, 'taskId'), checkedId(id, 'id'));
}

function configView(taskId: string, { registration_id, url, scheme }: Registration): TaskPushNotificationConfig {
  return {
    tenant: '',
    id: registration_id,
    taskId,
    url: withoutQuery(url),
    token: '',
    authentication: scheme === undefined ? undefined : { scheme, credentials: '' },
  };
}
