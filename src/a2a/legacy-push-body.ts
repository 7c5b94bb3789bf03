import { invalidRequest } from '../platform/errors.ts';
import { isObject } from '../platform/json-object.ts';
import type { JsonObject } from '../platform/json-object.ts';

/**
 * The body of a new push configuration of 0.3 over HTTP+JSON, as the SDK reads it. Clients send it bare, as the parameters
 * `{taskId, pushNotificationConfig}` or the resource `{name, pushNotificationConfig}`, or within the whole request
 * `{parent, configId, config}`. Which task it is for, the path says.
 * @throws {AppError} `INVALID_REQUEST` where there is no configuration, or the body names another task than the path.
 */
export function legacyPushBody(body: unknown, taskId: string): JsonObject {
  const request = isObject(body) ? body : {};
  const { config: wrapped } = request;
  const bare = isObject(wrapped) ? wrapped : request;
  const config = bare['pushNotificationConfig'] ?? bare['push_notification_config'];
  if (!isObject(config)) throw invalidRequest('pushNotificationConfig', 'required; send an object with a url');
  for (const [field, named] of [
    ['parent', taskOfName(request['parent'])],
    ['name', taskOfName(bare['name'])],
    ['taskId', bare['taskId']],
  ] as const) {
    if (named !== undefined && named !== taskId)
      throw invalidRequest(field, 'the path names another task; send one only');
  }
  const id = config['id'] ?? request['configId'] ?? request['config_id'];
  return {
    name: `tasks/${taskId}/pushNotificationConfigs/`,
    pushNotificationConfig: { ...config, ...(id !== undefined && { id }) },
  };
}

/** The task of a resource name such as `tasks/t-1/pushNotificationConfigs/c-1`; what is no such name names none. */
function taskOfName(name: unknown): string | undefined {
  return typeof name === 'string' ? /^tasks\/([^/]+)/.exec(name)?.[1] : undefined;
}
