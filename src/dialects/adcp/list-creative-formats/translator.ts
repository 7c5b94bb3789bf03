import { z } from 'zod';
import type { JsonObject } from '../../../platform/json-object.ts';
import { AssetKind } from '../../../sales/format/format.ts';
import type { ListCreativeFormatsResponse } from '../../../tasks/list-creative-formats/schema.ts';
import { EnvelopeFields } from '../envelope.ts';
import { pageAsked, Pagination, pagination } from '../pagination.ts';
import { FormatRef } from '../refs.ts';
import { translator } from '../translator.ts';
import type { Translator } from '../translator.ts';
import type { TranslatorSources } from '../sources.ts';
import { refuseUnsupported } from '../unsupported.ts';
import { formatRow } from './format-row.ts';

const Side = z.int().min(0).optional();
const Names = z.array(z.string().max(128)).max(100);

/** Filters of the public protocol that no format of ours can be shown to meet. */
const UNMET = ['wcag_level', 'disclosure_positions', 'disclosure_persistence', 'input_format_ids', 'output_format_ids'];

/** Filters that formats cannot be held against here, where to leave none would be as wrong as to leave all. */
const NOT_KEPT_BY = {
  publisher_domain: 'formats are not kept by publisher; products tell which they take, and where they run',
  property_id: 'formats are not kept by property; products tell which they take, and where they run',
};

const AdcpListCreativeFormatsRequest = z.looseObject({
  ...EnvelopeFields.shape,
  format_ids: z.array(FormatRef).max(1000).optional(),
  asset_types: Names.optional(),
  ...{ min_width: Side, max_width: Side, min_height: Side, max_height: Side },
  is_responsive: z.boolean().optional(),
  name_search: z.string().max(200).optional(),
  pagination: Pagination.optional(),
});
type AdcpListCreativeFormatsRequest = z.infer<typeof AdcpListCreativeFormatsRequest>;

/** Lists what creatives must look like. */
export function adcpListCreativeFormats({ catalog }: TranslatorSources): Translator {
  const urls = new Map(
    [...catalog.formats.values()].map(({ format_id }) => [formatUrl(format_id.agent_url), format_id]),
  );
  return translator<AdcpListCreativeFormatsRequest>({
    skill: 'list_creative_formats',
    task: 'list_creative_formats',
    title: 'List creative formats',
    description: 'Lists the creative formats that are taken here, with their sizes and what each asset must be.',
    tags: ['creative', 'discovery'],
    mutates: false,
    tellsSandbox: true,
    examples: [{ asset_types: ['image'], max_width: 320 }],
    input: AdcpListCreativeFormatsRequest,
    in(request) {
      refuseUnsupported(request, NOT_KEPT_BY);
      const { format_ids, asset_types = [], min_width, max_width, min_height, max_height } = request;
      const { is_responsive, name_search } = request;
      const kinds = asset_types.filter((kind) => AssetKind.safeParse(kind).success);
      const input: JsonObject = {
        ...(format_ids !== undefined && {
          format_ids: format_ids.map(({ agent_url, id }) => {
            return { agent_url: urls.get(formatUrl(agent_url))?.agent_url ?? agent_url, id };
          }),
        }),
        ...(kinds.length > 0 && { asset_types: kinds }),
        ...Object.fromEntries(
          Object.entries({ min_width, max_width, min_height, max_height, is_responsive, name_search }).filter(
            ([, value]) => value !== undefined,
          ),
        ),
        ...pageAsked(request.pagination),
      };
      const isUnmet = kinds.length < asset_types.length || UNMET.some((name) => !isNothing(request[name]));
      return { input, ...(isUnmet && { extra: { is_unmet: true } }) };
    },
    out(result, { extra }) {
      const { formats, total_matching } = result as unknown as ListCreativeFormatsResponse;
      if (extra['is_unmet'] === true) return { formats: [], pagination: pagination({ has_more: false }, 0) };
      return { formats: formats.map(formatRow), pagination: pagination(result, total_matching) };
    },
  });
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

function formatUrl(url: string): string {
  return url.replace(/\/+$/, '');
}
