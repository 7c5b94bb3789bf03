import { shownAmount } from '../../../platform/money.ts';
import type { PackageView } from '../../../sales/media-buy/media-buy-view.ts';
import type { PricingOption } from '../../../sales/product/pricing-option.ts';

/** A way to pay, in words. Pure. */
export function priceOf(option: PricingOption): string {
  const { currency } = option;
  switch (option.pricing_model) {
    case 'cpm':
      return `${shownAmount(option.price, currency)} CPM`;
    case 'cpm-auction':
      return `from ${shownAmount(option.floor, currency)} CPM, by auction`;
    case 'flat-fee':
      return `${shownAmount(option.price, currency)} flat`;
  }
}

/** What a package pays, in words: of an auction what it bids, and the least that would do. Amounts are decimals of `currency`. Pure. */
export function priceOfPackage(
  { pricing_model, price, floor, bid_price }: Pick<PackageView, 'pricing_model' | 'price' | 'floor' | 'bid_price'>,
  currency: string,
): string {
  const amount = (of: number | undefined) => (of === undefined ? 'no price' : shownAmount(of, currency));
  switch (pricing_model) {
    case 'cpm':
      return `${amount(price)} CPM`;
    case 'cpm-auction':
      return `bids ${amount(bid_price)} CPM${floor === undefined ? '' : `, from ${amount(floor)}`}`;
    case 'flat-fee':
      return `${amount(price)} flat`;
  }
}
