import { z } from 'zod';
import { AppError } from '../../../platform/errors.ts';
import { decideOnProperty } from '../../../sales/property/decide-outage.ts';
import type { PropertyDecision } from '../../../sales/property/decide-outage.ts';
import { PropertyReasonCode, PropertyStatus, propertiesOf } from '../../../sales/property/outage.ts';
import type { Outage } from '../../../sales/property/outage.ts';
import { PropertyType } from '../../../sales/property/property.ts';
import type { Property } from '../../../sales/property/property.ts';
import { pageEnd, pageView } from '../../../tasks/paging.ts';
import { Id, pageQuery, Words } from '../fields.ts';
import { operation } from '../operation.ts';
import type { OperatorCall } from '../operation.ts';

/** A property as an operator sees it. */
export const OperatorProperty = z.object({
  property_id: z.string(),
  ...{ name: z.string(), property_type: PropertyType, publisher_domain: z.string() },
  status: PropertyStatus,
  /** Why it is out of service, in words; null when there are none. */
  reason: z.string().nullable().optional(),
  reason_code: PropertyReasonCode.optional(),
  /** Absent when nobody has decided about it. */
  changed_at: z.string().optional(),
});
export type OperatorProperty = z.infer<typeof OperatorProperty>;

/** The same with the products that run on it. */
export const OperatorPropertyInFull = OperatorProperty.extend({
  products: z.array(z.object({ product_id: z.string(), name: z.string(), other_properties: z.int() })),
});
export type OperatorPropertyInFull = z.infer<typeof OperatorPropertyInFull>;

const PropertyPath = z.strictObject({ property_id: Id });

/** The properties of the catalog in its order, each with whether it is in service. */
export const listProperties = operation({
  method: 'get',
  path: '/properties',
  summary: 'Show the properties of the catalog.',
  role: 'viewer',
  query: z.strictObject({ status: PropertyStatus.optional(), ...pageQuery }),
  answer: z.object({ properties: z.array(OperatorProperty), ...pageView }),
  async handle({ query: { status, limit, cursor } }, { sales }) {
    const all = [...sales.catalog.properties.values()];
    const from = cursor === undefined ? 0 : all.findIndex(({ property_id }) => property_id === cursor) + 1;
    if (cursor !== undefined && from === 0) {
      throw new AppError('INVALID_REQUEST', 'the cursor is none of this list', { field: 'cursor' });
    }
    const rows = await sales.outages.getMany(all.map(({ property_id }) => property_id));
    const decided = new Map(rows.map((row) => [row.property_id, row]));
    const found = all.slice(from).map((property) => viewOf(property, decided.get(property.property_id)));
    const fit = found.filter((view) => status === undefined || view.status === status);
    const end = fit.length > limit ? fit[limit - 1]?.property_id : undefined;
    return { properties: fit.slice(0, limit), ...pageEnd(end) };
  },
});

/** One with the products that run on it, and whether each runs elsewhere too. */
export const showProperty = operation({
  method: 'get',
  path: '/properties/:property_id',
  summary: 'Show a property with the products that run on it.',
  role: 'viewer',
  params: PropertyPath,
  answer: OperatorPropertyInFull,
  async handle({ params: { property_id } }, { sales }) {
    const { products } = sales.catalog;
    const property = propertyOf(sales, property_id);
    const runs = [...products.values()].flatMap(({ product_id, name }) => {
      const on = propertiesOf(products, product_id);
      return on.includes(property_id) ? [{ product_id, name, other_properties: on.length - 1 }] : [];
    });
    return { ...viewOf(property, await sales.outages.get(property_id)), products: runs };
  },
});

/** Takes one out of service; running buys of products that have no other property in service are impaired. */
export const suspendProperty = operation({
  method: 'post',
  path: '/properties/:property_id/suspend',
  summary: 'Take a property out of service. Running buys that have no other are impaired.',
  role: 'admin',
  action: 'properties.suspend',
  done: ({ name }) => `${name} is out of service.`,
  undo: 'properties.restore',
  params: PropertyPath,
  body: z.strictObject({
    /** Told to the buyers concerned. */
    reason: Words,
    reason_code: PropertyReasonCode.default('property_unavailable'),
  }),
  answer: OperatorProperty,
  handle: ({ params: { property_id }, body }, call) => decide(call, { property_id, to: 'out_of_service', ...body }),
});

/** Puts one back into service; what it impaired is well again. */
export const restoreProperty = operation({
  method: 'post',
  path: '/properties/:property_id/restore',
  summary: 'Put a property back into service.',
  role: 'admin',
  action: 'properties.restore',
  done: ({ name }) => `${name} is back in service.`,
  params: PropertyPath,
  answer: OperatorProperty,
  handle: ({ params: { property_id } }, call) => decide(call, { property_id, to: 'in_service' }),
});

async function decide({ sales }: OperatorCall, decision: PropertyDecision): Promise<OperatorProperty> {
  const row = await decideOnProperty(sales, decision);
  return viewOf(propertyOf(sales, decision.property_id), row);
}

function propertyOf({ catalog }: OperatorCall['sales'], property_id: string): Property {
  const property = catalog.properties.get(property_id);
  if (property !== undefined) return property;
  throw new AppError('NOT_FOUND', `no property has the id ${property_id}`, { field: 'property_id' });
}

function viewOf(property: Property, row: Outage | undefined): OperatorProperty {
  const { property_id, name, property_type, publisher_domain } = property;
  const { status = 'in_service', changed_at } = row ?? {};
  const why = status === 'out_of_service' ? { reason: row?.reason, reason_code: row?.reason_code } : {};
  return { property_id, name, property_type, publisher_domain, status, ...why, ...(changed_at && { changed_at }) };
}
