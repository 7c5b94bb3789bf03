import { z } from 'zod';
import type { Ids } from '../../platform/clock.ts';
import { toTimestamp } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import type { Counters } from '../../platform/metrics/metrics.ts';
import type { OrganizationId } from '../../platform/organization-id.ts';
import { withoutQuery } from '../../platform/outbound/without-query.ts';
import { registeredUrl, storedUrl } from '../../platform/crypto/sealed-url.ts';
import type { Dialect, Registration } from '../../runtime/registration.ts';
import type { AdmissionDependencies } from '../delivery/admission.ts';
import type { AttemptDependencies } from '../delivery/attempt.ts';
import { deliveryOf } from '../delivery/create-delivery.ts';
import type { CreateDeliveryDependencies, OutgoingEvent, WebhookTarget } from '../delivery/create-delivery.ts';
import { Attempt, Delivery } from '../delivery/delivery.ts';
import { sendOnce } from '../delivery/send-once.ts';
import { mcpEnvelope } from '../envelope/envelope-mcp.ts';
import { PushNotificationConfig } from '../registration/push-notification-config.ts';
import type { RegisterDependencies } from '../registration/register.ts';
import { checkWebhookUrl, destinationOf, sealedFor } from '../registration/webhook-target.ts';
import { askedScheme } from '../schemes/asked-scheme.ts';
import { UNNAMED_MODE } from '../schemes/named-schemes.ts';
import { adviceFor } from './advice.ts';
import { phasesOf, TestPhase } from './test-phases.ts';

/** Where a test event goes and how it is proved: as a registration says it, save that nothing is kept. */
export const TestRequest = z.strictObject({
  url: PushNotificationConfig.shape.url,
  operation_id: z
    .string()
    .min(1)
    .max(512)
    .optional()
    .describe('Echoed in the event; one of yours, if your receiver takes no others. Default: a new one.'),
  authentication: PushNotificationConfig.shape.authentication,
  token: PushNotificationConfig.shape.token,
});
export type TestRequest = z.infer<typeof TestRequest>;

const { status, http_status_code, error_message, signature_error, kid, address } = Attempt.shape;

/** What happened to a test event. */
export const TestOutcome = z.object({
  delivered: z.boolean().describe('Whether the receiver answered 2xx'),
  ...{ status, http_status_code, error_message, signature_error },
  advice: z.string().nullable().describe('What to do about it; null when it was taken'),
  phases: z.array(TestPhase),
  total_ms: z.number().nullable(),
  url: z.string().describe('Without its query'),
  mode: Delivery.shape.mode,
  ...{ kid, address },
  sent_at: z.string(),
  idempotency_key: z.string(),
  operation_id: z.string(),
  task_id: z.string().describe('Made up for this event; no task has it'),
});
export type TestOutcome = z.infer<typeof TestOutcome>;

export interface TestEventDependencies
  extends AttemptDependencies, CreateDeliveryDependencies, RegisterDependencies, AdmissionDependencies {
  ids: Ids;
  counters: Counters;
}

/** What a test event is of: no task and no report is called so. */
const TEST_TYPE = 'webhook_test';

/**
 * Sends one event that means nothing, as any other is sent: the same envelope, scheme, guard and time limits (rules W1, W4,
 * W8, W16), and through the same gate: nobody can aim the agent at a stranger (rule W18). Where the breaker is open it is the one
 * that tries the receiver, and opens it to what waits. Nothing is stored and nothing is tried again.
 * @throws {AppError} `ADDRESS_REFUSED` or `INVALID_REQUEST` for what no registration may ask either, `INVALID_STATE` while the
 * seller has paused the destination, `RATE_LIMITED` while not even a probe goes there, with when one does.
 */
export async function sendTestEvent(
  deps: TestEventDependencies,
  organization_id: OrganizationId,
  asked: TestRequest,
): Promise<TestOutcome> {
  return sendTest(deps, testDelivery(deps, organization_id, asked));
}

/**
 * The same to where a registration leads, proved as it has it. It has the envelope of a task's own webhooks, and with the protocol's own
 * mechanism the token in its header.
 * @throws {AppError} likewise, and `INVALID_STATE` for one that has ended.
 */
export async function sendTestToRegistration(
  deps: TestEventDependencies,
  organization_id: OrganizationId,
  registration: Registration,
): Promise<TestOutcome> {
  if (registration.ended_at !== undefined)
    throw new AppError('INVALID_STATE', 'this registration has ended, so nothing is sent there any more', {
      field: 'registration_id',
    });
  const { sealed_token, operation_id = `test-${deps.ids.newId()}`, dialect, channel } = registration;
  const url = registeredUrl(deps.sealer, registration.url);
  checkWebhookUrl(url, 'url', deps);
  const isMcp = channel === 'mcp';
  const token = isMcp && sealed_token !== undefined ? deps.sealer.open(sealed_token, sealedFor(url)) : undefined;
  const event = testEvent(deps, organization_id, { url, operation_id, token, dialect }, registration);
  const row = deliveryOf(deps, { ...event, sealed_header_token: isMcp ? undefined : sealed_token });
  return sendTest(deps, { ...row, operation_id });
}

/** A delivery that is sent once and never stored, and the operation that its event names. */
type TestDelivery = Delivery & { operation_id: string };

async function sendTest(deps: TestEventDependencies, row: TestDelivery): Promise<TestOutcome> {
  const { destination, organization_id } = row;
  const { made, result } = await sendOnce(deps, row);
  const { attempt, classification } = made;
  const { verdict, ...outcome } = classification;
  deps.counters.add('webhook_tests_total', { mode: row.mode, outcome: attempt.status });
  deps.log.info({ organization_id, destination, mode: row.mode, ...outcome }, 'webhook test event sent');
  return {
    delivered: verdict === 'delivered',
    ...outcome,
    advice: adviceFor(attempt) ?? null,
    phases: phasesOf(result, row.url),
    total_ms: attempt.timings?.total_ms ?? null,
    url: withoutQuery(row.url),
    mode: row.mode,
    ...(attempt.kid !== undefined && { kid: attempt.kid }),
    ...(attempt.address !== undefined && { address: attempt.address }),
    sent_at: attempt.started_at,
    idempotency_key: row.idempotency_key,
    operation_id: row.operation_id,
    task_id: row.task_id,
  };
}

function testDelivery(
  deps: TestEventDependencies,
  organization_id: OrganizationId,
  { url, authentication, token, operation_id = `test-${deps.ids.newId()}` }: TestRequest,
): TestDelivery {
  checkWebhookUrl(url, 'url', deps);
  const named = authentication && askedScheme(authentication, 'authentication', { ...deps, mutates: true });
  const target: WebhookTarget = {
    registration_id: 'test',
    url: storedUrl(deps.sealer, url),
    mode: named?.mode ?? UNNAMED_MODE,
    ...(named?.credentials !== undefined && {
      sealed_credentials: deps.sealer.seal(named.credentials, sealedFor(url)),
    }),
  };
  const row = deliveryOf(deps, testEvent(deps, organization_id, { url, operation_id, token }, target));
  return { ...row, operation_id };
}

/** The event that means nothing. */
function testEvent(
  { ids, clock }: Pick<TestEventDependencies, 'ids' | 'clock'>,
  organization_id: OrganizationId,
  { url, ...told }: { url: string; operation_id: string; token?: string | undefined; dialect?: Dialect | undefined },
  target: WebhookTarget,
): OutgoingEvent {
  const task_id = `test-${ids.newId()}`;
  const idempotency_key = ids.newId();
  const envelope = mcpEnvelope({
    ...{ ...told, idempotency_key, task_id, task_type: TEST_TYPE },
    status: 'completed',
    timestamp: toTimestamp(clock.now()),
    message: 'a test event: nothing has happened',
    result: { test: true, destination: destinationOf(url) },
  });
  return {
    ...{ organization_id, task_id, task_type: TEST_TYPE, subject_id: null, sequence: 1, event: 'test' },
    ...{ target, idempotency_key, body: JSON.stringify(envelope) },
  };
}
