import type { HeaderReader } from '../wire/received-request.ts';
import type { WebhookNames } from '../wire/webhook-names.ts';
import type { WebhookMode } from './registration.ts';
import { RECEIVER_SCHEMES } from './schemes/index.ts';

/**
 * Whether the headers show another mode than the registered one, so that nothing is tried that was not agreed
 * (rule W12). Both signatures at once never agree with any registration (rule W4). Headers that show no mode at all do
 * not disagree: the registered mode's own checks refuse them. A bearer token beside a signature says nothing: a gateway
 * may have added it.
 */
export function isModeMismatch(registered: WebhookMode, header: HeaderReader, names: WebhookNames): boolean {
  const shown = Object.entries(RECEIVER_SCHEMES).filter(([, scheme]) => scheme.isShown(header, names));
  const telling = shown.filter(([, scheme]) => !scheme.yields);
  return (telling.length > 0 ? telling : shown).some(([mode]) => mode !== registered);
}
