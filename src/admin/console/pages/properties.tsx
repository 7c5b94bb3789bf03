import { PropertyReasonCode, PropertyStatus } from '../../../sales/property/outage.ts';
import {
  listProperties,
  restoreProperty,
  showProperty,
  suspendProperty,
} from '../../operator/properties/operations.ts';
import type { ConsolePage } from '../console-page.ts';
import { ActionForm, WordsField } from '../parts/action-form.tsx';
import { ChoiceField } from '../parts/fields.tsx';
import { Pages, Tabs } from '../parts/paging.tsx';
import { RoleNote } from '../parts/role-note.tsx';
import { Facts, Table } from '../parts/table.tsx';
import { inWords, headingOf, pageOfId, Said, State, When } from '../parts/words.tsx';
import { CatalogTabs } from './catalog.tsx';

const CHOICES = ['all', ...PropertyStatus.options] as const;

/** Where ads run: the catalog's properties, and whether each is in service. */
export const propertiesPage: ConsolePage = {
  path: '/properties',
  list: { of: listProperties, rows: 'properties' },
  async show({ query, read, now }) {
    const { status = 'all' } = query;
    const { properties, cursor } = await read(listProperties, { query });
    const body = (
      <>
        <h1>Catalog</h1>
        <CatalogTabs chosen="properties" />
        <Tabs label="Which properties" path="/properties" name="status" choices={CHOICES} chosen={status} none="all" />
        <Table
          caption="Properties"
          rows={properties}
          empty={
            status === 'all' ? 'The catalog has none: see CATALOG_DIR.' : `None is ${status.replaceAll('_', ' ')}.`
          }
          columns={[
            {
              heading: 'Property',
              cell: (one) => (
                <a href={`/admin${pageOfId('/properties', one.property_id)}`}>
                  <Said>{one.name}</Said>
                </a>
              ),
            },
            { heading: 'Kind', cell: (one) => inWords(one.property_type) },
            { heading: 'Publisher', cell: (one) => <Said>{one.publisher_domain}</Said> },
            { heading: 'State', cell: (one) => <State of={one.status} /> },
            { heading: 'Since', cell: (one) => one.changed_at !== undefined && <When at={one.changed_at} now={now} /> },
            { heading: 'Why', isWide: true, cell: (one) => <Said>{one.reason}</Said> },
          ]}
        />
        <Pages path="/properties" query={query} cursor={cursor} />
      </>
    );
    return { title: 'Properties', body };
  },
};

/** One property: what runs on it, and taking it out of service or back. */
export const propertyPage: ConsolePage = {
  path: '/properties/:property_id',
  async show(call) {
    const one = await call.read(showProperty, { params: { ...call.params } });
    const of = { property_id: one.property_id };
    const alone = one.products.filter(({ other_properties }) => other_properties === 0).length;
    const body = (
      <>
        <p class="crumbs">
          <a href="/admin/catalog">Catalog</a>
          {' / '}
          <a href="/admin/properties">properties</a>
          {` / ${one.property_id}`}
        </p>
        <h1>
          <Said>{one.name}</Said>
        </h1>
        <Facts
          of={[
            ['State', <State of={one.status} />],
            ['Since', one.changed_at !== undefined && <When at={one.changed_at} now={call.now} />],
            ['Why', one.reason_code !== undefined && headingOf(one.reason_code)],
            ['In words', one.reason != null && <Said>{one.reason}</Said>],
            ['Kind', inWords(one.property_type)],
            ['Publisher', <Said>{one.publisher_domain}</Said>],
          ]}
        />
        <h2>What runs on it</h2>
        <Table
          caption="Products that run on it"
          rows={one.products}
          empty="No product does."
          columns={[
            {
              heading: 'Product',
              cell: (product) => (
                <a href={`/admin${pageOfId('/catalog', product.product_id)}`}>
                  <Said>{product.name}</Said>
                </a>
              ),
            },
            { heading: 'Other properties', isNumber: true, cell: (product) => product.other_properties },
          ]}
        />
        <RoleNote call={call} role={suspendProperty.role} />
        <div class="forms">
          {one.status === 'in_service' ? (
            <ActionForm call={call} operation={suspendProperty} of={of} label="Take it out of service">
              <p>
                {`Running media buys are impaired whose products have no other property in service; ${alone} of these products run here alone. Their buyers are told.`}
              </p>
              <ChoiceField
                name="reason_code"
                label="Why"
                choices={PropertyReasonCode.options.map((code) => [code, headingOf(code)] as const)}
              />
              <WordsField name="reason" label="In words" hint="The buyers concerned are told it." isNeeded />
            </ActionForm>
          ) : (
            <ActionForm call={call} operation={restoreProperty} of={of} label="Put it back into service">
              <p>What it impaired is well again, and its buyers are told.</p>
            </ActionForm>
          )}
        </div>
      </>
    );
    return { title: one.name, body };
  },
};
