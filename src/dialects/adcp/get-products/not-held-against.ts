/** What `get_products` and `list_products` of 3.2 cannot hold products against, by the names that both have for it: why not. */
export const NOT_HELD_AGAINST = {
  targeting_overlay:
    'products are listed as they are published; send it with the purchase, where it is held against the product',
  media_buy_frequency_cap: 'no cap counts over several packages here',
  required_overlay_support: 'products are not looked for by it here; read the overlay_support of each',
  required_media_buy_support: 'products have no share in what is set for a whole media buy',
};

/** What `get_products` cannot hold them against, besides. */
export const NOT_OF_PRODUCTS = {
  ...NOT_HELD_AGAINST,
  required_policies: 'products are of no policies here',
};
