import { showProduct } from '../../operator/catalog/operations.ts';
import type { ConsolePage } from '../console-page.ts';
import { priceOf } from '../parts/price-words.ts';
import { Facts, Table } from '../parts/table.tsx';
import { termsWords } from '../parts/terms-words.ts';
import { inWords, Count, Data, Money, Said, WholeId } from '../parts/words.tsx';

/** One product, with all that buyers and the ad server are told of it. */
export const productPage: ConsolePage = {
  path: '/catalog/:product_id',
  async show({ params, read }) {
    const product = await read(showProduct, { params: { ...params } });
    const { flight, forecast, targeting, delivery_measurement: measurement, implementation_config } = product;
    const body = (
      <>
        <p class="crumbs">
          <a href="/admin/catalog">Catalog</a>
          {` / ${product.product_id}`}
        </p>
        <h1>
          <Said>{product.name}</Said>
        </h1>
        <p>
          <Said>{product.description}</Said>
        </p>
        <Facts
          of={[
            ['Channels', product.channels.map(inWords).join(', ')],
            ['Delivery', product.delivery_type.replaceAll('_', ' ')],
            ['Flight', `${flight.min_days} to ${flight.max_days} days${leadWords(flight.lead_time_days)}`],
            ['Counted by', <Said>{measurement.provider}</Said>],
            ['Terms', product.measurement_terms && <Said>{termsWords(product.measurement_terms)}</Said>],
            ['Canceled', product.cancellation_policy && 'at any time, without a fee'],
          ]}
        />
        <h2>Prices</h2>
        <Table
          caption="Prices"
          rows={product.pricing_options}
          empty=""
          columns={[
            { heading: 'Option', cell: (one) => <WholeId of={one.pricing_option_id} /> },
            { heading: 'Price', cell: priceOf },
            {
              heading: 'At least',
              isNumber: true,
              cell: (one) =>
                'min_spend' in one &&
                one.min_spend !== undefined && <Money of={one.min_spend} currency={one.currency} />,
            },
            ...(product.pricing_options.some(({ description }) => description !== undefined)
              ? [
                  {
                    heading: 'What it is',
                    cell: (one: (typeof product.pricing_options)[number]) => <Said>{one.description}</Said>,
                  },
                ]
              : []),
          ]}
        />
        <h2>Formats</h2>
        <Table
          caption="Formats"
          rows={product.formats}
          empty=""
          columns={[
            { heading: 'Format', cell: (one) => <Said>{one.name}</Said> },
            { heading: 'Id', cell: (one) => <WholeId of={one.id} /> },
            { heading: 'Type', cell: (one) => one.type.replaceAll('_', ' ') },
          ]}
        />
        <h2>Properties</h2>
        <Table
          caption="Properties"
          rows={product.publisher_properties}
          empty=""
          columns={[
            { heading: 'Publisher', cell: (one) => <Said>{one.publisher_domain}</Said> },
            { heading: 'Properties', cell: (one) => one.property_ids.join(', ') },
          ]}
        />
        <h2>Whom it reaches, and how far</h2>
        <Facts
          of={[
            ['Countries', targeting.geo.countries.join(', ')],
            ['Regions', targeting.geo.regions?.join(', ')],
            ['Cities', targeting.geo.cities?.join(', ')],
            ['Languages', targeting.languages.join(', ')],
            ['Devices', targeting.devices.map((device) => device.replaceAll('_', ' ')).join(', ')],
            ['Topics', <Said>{targeting.topics.join(', ')}</Said>],
            ['By hours of the day', targeting.dayparting ? 'yes' : 'no'],
            ['Frequency cap', targeting.frequency_cap ? 'yes' : 'no'],
            ['Impressions a day', <Count of={forecast.impressions_per_day} />],
            ['Of which', forecast.notes !== undefined && <Said>{forecast.notes}</Said>],
          ]}
        />
        <h2>Audiences</h2>
        <Table
          caption="Audiences"
          rows={targeting.audiences}
          empty="It is not sold by audience."
          columns={[
            { heading: 'Audience', cell: (one) => <Said>{one.name}</Said> },
            { heading: 'Id', cell: (one) => <WholeId of={one.audience_id} /> },
            { heading: 'Who they are', isWide: true, cell: (one) => <Said>{one.description}</Said> },
          ]}
        />
        {Object.keys(implementation_config).length > 0 && (
          <>
            <h2>What the ad server is told</h2>
            <Data of={implementation_config} />
          </>
        )}
      </>
    );
    return { title: product.name, body };
  },
};

/** How long after its order a flight may start; nothing, where that is at once. */
function leadWords(days: number): string {
  if (days === 0) return '';
  return `, from ${days === 1 ? 'a day' : `${days} days`} after the order on`;
}
