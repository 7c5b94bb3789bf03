import { amountsByCurrency } from '../../../platform/amounts-by-currency.ts';
import { dollars } from '../approval-thresholds.ts';
import { text, url } from '../setting-values.ts';
import { setting } from './setting.ts';

/** Whom this agent tells, and whom it asks. */
export const PEOPLE_SETTINGS = {
  OPERATOR_WEBHOOK_URL: setting(
    url(['http:', 'https:'], 'an http or https URL'),
    'https://ops.publisher.example/webhooks',
    'told by a signed webhook when a receiver fails for an hour, takes webhooks again, or refuses our signature; default: only the log is',
  ),
  SECURITY_CONTACT: setting(
    text(/^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+|tel:\+[\d-]+)$/, 'must be a mailto:, https: or tel: URI'),
    'mailto:security@publisher.example',
    'where whoever finds a weakness of this installation is to write to, for /.well-known/security.txt; default: none is served',
  ),
  APPROVAL_OVER: setting(
    amountsByCurrency,
    'USD:50000,EUR:45000',
    'media buys with a larger total budget wait for a person, and so do all in other currencies; default: none does',
  ),
  APPROVAL_OVER_USD: setting(dollars, '50000', 'the same for US dollars alone, or beside APPROVAL_OVER without USD'),
  SECOND_APPROVER_OVER: setting(
    amountsByCurrency,
    'USD:250000,EUR:225000',
    'approvals of a larger total take the yes of two people, and so do all in other currencies; needs APPROVAL_OVER; default: one is enough',
  ),
};
