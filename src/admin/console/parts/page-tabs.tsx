import type { Markup } from '../html/markup.ts';

/** Pages that stand side by side, a link for each: their names and addresses below `/admin`. */
export function PageTabs<Name extends string>({
  label,
  of,
  chosen,
}: {
  /** Which of them, for those who do not see it. */
  label: string;
  of: Readonly<Record<Name, string>>;
  chosen: Name;
}): Markup {
  return (
    <nav aria-label={label}>
      <ul class="tabs">
        {Object.entries(of).map(([name, path]) => (
          <li>
            <a href={`/admin${String(path)}`} aria-current={chosen === name && 'page'}>
              {name}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
