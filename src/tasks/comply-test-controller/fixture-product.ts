import type { Catalog } from '../../sales/catalog.ts';
import { Channel } from '../../sales/catalog-values.ts';
import type { FormatId } from '../../sales/format/format.ts';
import { MAX_FLIGHT_DAYS } from '../../sales/product/product.ts';
import type { Product } from '../../sales/product/product.ts';
import { PricingOption } from '../../sales/product/pricing-option.ts';
import { ControllerRefusal } from './refusal.ts';

/** What a fixture says of a product; all else is as in the one of the catalog that is most like it. */
export interface ProductFixture {
  name?: string | undefined;
  description?: string | undefined;
  delivery_type?: Product['delivery_type'] | undefined;
  channels?: readonly string[] | undefined;
  measurement_terms?: Product['measurement_terms'];
}

/** The public names of channels that are called otherwise here. */
const CHANNELS: Readonly<Record<string, string>> = { olv: 'video', streaming_audio: 'audio', radio: 'audio' };

/** The price of a fixture that has none of its own yet. */
const UNPRICED = 'default';

/** A product made after the catalog's most like it, with a price of that until it is given its own. Pure. */
export function fixtureProduct(
  { products }: Catalog,
  product_id: string,
  { name, description, delivery_type, channels: asked = [], measurement_terms }: ProductFixture,
  format_ids: readonly FormatId[],
): Product {
  const channels = asked.flatMap((one) => Channel.safeParse(CHANNELS[one] ?? one).data ?? []);
  const all = [...products.values()];
  const isPaidByCounts = ({ pricing_options }: Product) => pricing_options[0]?.pricing_model === 'cpm';
  const like =
    all.find((one) => isPaidByCounts(one) && channels.some((channel) => one.channels.includes(channel))) ??
    all.find(isPaidByCounts);
  const [price] = like?.pricing_options ?? [];
  if (like === undefined || price === undefined) {
    throw new ControllerRefusal('INVALID_STATE', 'the catalog has no product at a fixed price to make others after');
  }
  const { min_spend: _least, ...free } = { min_spend: undefined, ...price };
  return {
    ...like,
    product_id,
    name: name ?? `Fixture ${product_id}`,
    description: description !== undefined && description.length >= 40 ? description : like.description,
    ...(delivery_type !== undefined && { delivery_type }),
    ...(channels.length > 0 && { channels }),
    ...(measurement_terms && { measurement_terms }),
    ...(format_ids.length > 0 && { format_ids: [...format_ids] }),
    flight: { min_days: 1, max_days: MAX_FLIGHT_DAYS, lead_time_days: 0 },
    pricing_options: [PricingOption.parse({ ...free, pricing_option_id: UNPRICED })],
  };
}

/** The product with one more price, or with that price otherwise. Pure. */
export function withPrice(product: Product, option: PricingOption): Product {
  const others = product.pricing_options.filter(
    ({ pricing_option_id: id }) => id !== option.pricing_option_id && id !== UNPRICED,
  );
  return { ...product, pricing_options: [...others, option] };
}

/** What a fixture says of a price, in the public protocol's words. */
export interface PriceFixture {
  pricing_model?: string | undefined;
  currency?: string | undefined;
  fixed_price?: number | undefined;
  floor_price?: number | undefined;
  min_spend_per_package?: number | undefined;
}

/** A price of a fixture in our own words. @throws {ControllerRefusal} `INVALID_PARAMS` for what is not sold here. */
export function fixturePrice(pricing_option_id: string, fixture: PriceFixture): PricingOption {
  const { pricing_model = 'cpm', currency = 'USD', fixed_price, floor_price, min_spend_per_package } = fixture;
  const base = { pricing_option_id, currency };
  const least = min_spend_per_package === undefined ? {} : { min_spend: min_spend_per_package };
  const said =
    pricing_model === 'flat_rate'
      ? { ...base, pricing_model: 'flat-fee', price: fixed_price }
      : fixed_price === undefined
        ? { ...base, ...least, pricing_model: `${pricing_model}-auction`, floor: floor_price }
        : { ...base, ...least, pricing_model, price: fixed_price };
  const option = PricingOption.safeParse(said);
  if (option.success) return option.data;
  throw new ControllerRefusal(
    'INVALID_PARAMS',
    'params.fixture: send cpm with fixed_price or floor_price, or flat_rate',
  );
}
