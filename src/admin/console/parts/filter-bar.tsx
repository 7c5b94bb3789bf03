import type { Markup } from '../html/markup.ts';
import { queryOf } from './paging.tsx';

/** What a list may be asked for. */
export type FilterField =
  | { name: string; label: string; kind: 'text'; hint?: string }
  | { name: string; label: string; kind: 'day' }
  | { name: string; label: string; kind: 'choice'; choices: readonly (readonly [value: string, shown: string])[] };

/** Of one buyer alone, by its id or its name. */
export const BUYER_FIELD: FilterField = {
  name: 'organization_id',
  label: 'Buyer',
  kind: 'text',
  hint: 'name or org_…',
};

interface FilterBarProps {
  /** The list, below `/admin`. */
  path: string;
  query: Readonly<Record<string, string | undefined>>;
  fields: readonly FilterField[];
  /** What stays as it is, such as the tab. */
  keeping?: Readonly<Record<string, string | undefined>>;
  /** Which of them go together: a list offers what an index carries. */
  note?: string;
}

/** A form that asks a list for less. What is left empty asks for nothing. */
export function FilterBar({ path, query, fields, keeping = {}, note }: FilterBarProps): Markup {
  const isSet = fields.some(({ name }) => query[name] !== undefined);
  return (
    <form class="brief filters" method="get" action={`/admin${path}`} aria-label="Filter">
      {Object.entries(keeping).map(
        ([name, value]) => value !== undefined && <input type="hidden" name={name} value={value} />,
      )}
      {fields.map((field) => (
        <label>
          {field.label}
          <Field of={field} value={query[field.name]} />
        </label>
      ))}
      <button>Filter</button>
      {isSet && <a href={`/admin${path}${queryOf(keeping)}`}>Show all</a>}
      {note !== undefined && <p class="quiet">{note}</p>}
    </form>
  );
}

function Field({ of, value }: { of: FilterField; value: string | undefined }): Markup {
  if (of.kind === 'choice') {
    return (
      <select name={of.name}>
        <option value="">any</option>
        {of.choices.map(([one, shown]) => (
          <option value={one} selected={one === value}>
            {shown}
          </option>
        ))}
      </select>
    );
  }
  if (of.kind === 'day') return <input type="date" name={of.name} value={value?.slice(0, 10)} />;
  return <input type="text" name={of.name} value={value} maxlength={1000} placeholder={of.hint} autocomplete="off" />;
}
