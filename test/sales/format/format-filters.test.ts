import { describe, expect, it } from 'vitest';
import { filterFormats } from '../../../src/sales/format/format-filters.ts';
import type { FormatFilters } from '../../../src/sales/format/format-filters.ts';
import { baseUrl, demoCatalog } from '../support/demo-catalog.ts';

const { formats } = await demoCatalog();
const found = (filters: FormatFilters) => filterFormats(formats.values(), filters).map(({ format_id }) => format_id.id);

describe('[C.tasks.lists] the formats that are listed', () => {
  it('are all of them, in the order of the catalog, when nothing is asked', () => {
    expect(found({})).toEqual([...formats.values()].map(({ format_id }) => format_id.id));
    expect(found({ format_types: [], format_ids: [], asset_types: [], name_search: ' ' })).toHaveLength(formats.size);
  });

  it.each<[string, FormatFilters, string[]]>([
    ['by type', { format_types: ['audio'] }, ['audio_15s', 'audio_30s', 'audio_host_read']],
    [
      'by id, whether or not the agent’s URL ends in a slash',
      {
        format_ids: [
          { agent_url: `${baseUrl}/`, id: 'ctv_15s' },
          { agent_url: 'https://other.example', id: 'ctv_30s' },
        ],
      },
      ['ctv_15s'],
    ],
    ['by every kind of asset', { asset_types: ['vast'] }, ['video_vast_30s']],
    ['by several kinds, which must all be there', { asset_types: ['audio', 'image'] }, ['audio_15s', 'audio_30s']],
    ['by name, in any case', { name_search: 'LEADER' }, ['display_728x90']],
    [
      'by an exact size',
      { is_responsive: false, min_width: 300, max_width: 300, min_height: 600, max_height: 600 },
      ['display_300x600'],
    ],
    ['by the sizes a format that adapts can take', { format_types: ['native'], max_width: 300 }, ['native_responsive']],
    [
      'by height, which one that adapts leaves free',
      { is_responsive: true, max_height: 1, format_types: ['native'] },
      ['native_responsive', 'native_sponsored_content'],
    ],
    ['by whether they adapt', { is_responsive: false, format_types: ['native'] }, ['newsletter_600x200']],
    [
      'by all filters together',
      { format_types: ['video'], name_search: '15', min_height: 1900 },
      ['video_15s_9x16', 'video_15s_16x9', 'ctv_15s'],
    ],
    ['never by a size they do not have', { format_types: ['audio'], min_width: 0 }, []],
  ])('are chosen %s', (_, filters, ids) => {
    expect(found(filters).sort()).toEqual([...ids].sort());
  });
});
