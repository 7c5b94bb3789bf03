import type { CommandPlace } from './places.ts';

/** A script that bash reads; `name` is the command that it completes. */
export function bashCompletion(name: string, places: readonly CommandPlace[]): string {
  const commands = places.filter(({ words }) => words.length > 0).map(({ words }) => `'${words.join(' ')}'`);
  const values = places.flatMap(({ words, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .map((flag) => `    '${[...words, flag.name].join(' ')}') words='${flag.choices.join(' ')}' ;;`),
  );
  const others = places.map(
    ({ words, commands: below, options, choices }) =>
      `    '${words.join(' ')}') words='${[...below.map((one) => one.name), ...choices].join(' ')}' flags='${options.map((one) => one.name).join(' ')}' ;;`,
  );
  return `# bash completion of ${name}: source <(${name} completion bash)
_media_buy_agent() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} place='' words='' flags='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${place:+$place }\${COMP_WORDS[i]}" in
    ${commands.join(' | \\\n    ')})
      place=\${place:+$place }\${COMP_WORDS[i]} ;;
    esac
  done
  COMPREPLY=()
  # Where nothing is offered, bash offers files.
  case "\${place:+$place }$before" in
${values.join('\n')}
    *)
      case $place in
${others.map((line) => `  ${line}`).join('\n')}
      esac
      [[ $word == -* ]] && words=$flags ;;
  esac
  [[ -z $words ]] || mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -o default -F _media_buy_agent ${name}
`;
}
