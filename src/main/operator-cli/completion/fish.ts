import type { CommandPlace } from './places.ts';

/** A script that fish reads; `name` is the command that it completes. */
export function fishCompletion(name: string, places: readonly CommandPlace[]): string {
  const lines = places.flatMap(({ words, commands, options, choices }) => {
    const here = `complete -c ${name} -n ${quoted(`__media_buy_agent_at ${words.join(' ')}`.trimEnd())}`;
    return [
      ...commands.map((one) => `${here} -f -a ${quoted(one.name)} -d ${quoted(one.description)}`),
      ...(choices.length === 0 ? [] : [`${here} -f -a ${quoted(choices.join(' '))}`]),
      ...options.map((flag) => {
        const value = flag.takesValue ? ' -r' : '';
        const of = flag.choices.length === 0 ? '' : ` -f -a ${quoted(flag.choices.join(' '))}`;
        return `${here} -l ${flag.name.replace(/^--/, '')}${value}${of} -d ${quoted(flag.description)}`;
      }),
    ];
  });
  const known = places.filter(({ words }) => words.length > 0).map(({ words }) => quoted(words.join(' ')));
  return `# fish completion of ${name}: ${name} completion fish | source
set -g __media_buy_agent_places ${known.join(' ')}
function __media_buy_agent_at
  set -l place
  for word in (commandline -opc)[2..-1]
    set -l longer (string join -- ' ' $place $word)
    contains -- $longer $__media_buy_agent_places; and set place $place $word
  end
  test "$place" = "$argv"
end
${lines.join('\n')}
`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
