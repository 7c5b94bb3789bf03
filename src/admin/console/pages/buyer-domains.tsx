import { mayAct } from '../../../directory/operator/operator.ts';
import { assignDomain, releaseOrganizationDomain } from '../../operator/registry/domains.ts';
import type { HeldDomain } from '../../operator/registry/domains.ts';
import type { PageCall } from '../console-page.ts';
import type { Markup } from '../html/markup.ts';
import { ActionForm, WordsField } from '../parts/action-form.tsx';
import { LineField } from '../parts/fields.tsx';
import { Table } from '../parts/table.tsx';
import { Said, When } from '../parts/words.tsx';

interface BuyerDomainsProps {
  call: PageCall;
  organization_id: string;
  domains: readonly HeldDomain[];
}

/** Which domains an organization has, how it proved them, and how the first is given and each is taken. */
export function BuyerDomains({ call, organization_id, domains }: BuyerDomainsProps): Markup {
  return (
    <section>
      <h2>Domains</h2>
      <Table
        caption="Domains"
        rows={domains}
        empty="It has none, so that its keys register no agents."
        columns={[
          { heading: 'Domain', cell: (one) => <Said>{one.domain}</Said> },
          { heading: 'Proved by', cell: (one) => one.verified_by ?? 'only on record' },
          { heading: 'Since', cell: (one) => one.since !== null && <When at={one.since} now={call.now} /> },
          {
            heading: 'Take',
            cell: ({ domain }) =>
              mayAct(call.operator.role, releaseOrganizationDomain.role) && (
                <details>
                  <summary>Take it</summary>
                  <ActionForm
                    call={call}
                    operation={releaseOrganizationDomain}
                    of={{}}
                    label="Take it"
                    isFinal
                    phrase={domain}
                  >
                    <p>Its agents there are removed, and whoever has the domain can prove it.</p>
                    <Whose organization_id={organization_id} domain={domain} />
                    <WordsField name="reason" label="Reason" hint="For the record; nobody else is told." isNeeded />
                  </ActionForm>
                </details>
              ),
          },
        ]}
      />
      {domains.length === 0 && (
        <div class="forms">
          <ActionForm call={call} operation={assignDomain} of={{}} label="Give">
            <Whose organization_id={organization_id} />
            <LineField name="domain" label="Its first domain" hint="Its keys register agents there." isNeeded />
            <WordsField name="reason" label="Reason" hint="For the record; nobody else is told." isNeeded />
          </ActionForm>
        </div>
      )}
    </section>
  );
}

function Whose({ organization_id, domain }: { organization_id: string; domain?: string }): Markup {
  return (
    <>
      <input type="hidden" name="organization_id" value={organization_id} />
      {domain !== undefined && <input type="hidden" name="domain" value={domain} />}
    </>
  );
}
