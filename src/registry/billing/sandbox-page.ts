import type { SandboxProvider } from '../../directory/billing/sandbox-provider.ts';
import type { SandboxSession } from '../../directory/billing/sandbox-session.ts';
import { organizations } from '../../directory/organization/organization.ts';
import { resolveTier } from '../../directory/organization/tier.ts';
import type { Store } from '../../platform/store/collection.ts';
import { htmlPage, styleSource } from '../../platform/html-page.ts';
import { markupText } from '../badge/escape.ts';

/** Asks a person to confirm; the form goes back to the page's own address. */
export async function confirmationPage(
  store: Store,
  provider: SandboxProvider,
  { organization_id, price_id }: SandboxSession,
): Promise<string> {
  const name = (await store.collection(organizations).get(organization_id))?.name ?? organization_id;
  const membership_tier = provider.prices.get(price_id) ?? null;
  const label = resolveTier({ membership_tier, subscription_status: 'active' })?.label ?? price_id;
  return page(
    'Confirm the subscription',
    `<p>The membership <b>${markupText(label)}</b> for <b>${markupText(name)}</b>.</p>
<p>This is a sandbox: no money moves.</p>
<form method="post"><button>Confirm</button></form>`,
  );
}

export function confirmedPage(): string {
  return page('Confirmed', '<p>The subscription is active. You can close this page.</p>');
}

export function endedPage(): string {
  return page('This session has ended', '<p>Begin again with a new checkout session.</p>');
}

function page(title: string, body: string): string {
  return htmlPage({ title, style: STYLE, body: `<h1>${title}</h1>\n${body}` });
}

const STYLE = `
:root { color-scheme: light dark; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; font: 1rem/1.6 system-ui, sans-serif; }
main { max-width: 28rem; padding: 2rem; border: 1px solid #8886; border-radius: .75rem; overflow-wrap: anywhere; }
button { font: inherit; padding: .5rem 1.1rem; }
`;

/** The style of these pages, as their policy names it. */
export const SANDBOX_STYLE_SOURCE = styleSource(STYLE);
